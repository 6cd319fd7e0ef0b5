"""The lead's routes."""

from django.urls import path

from tasks_admin.views import cleaning, environments, judging, references, replays, studies

urlpatterns = [
    path("", studies.studies, name="studies"),
    path("<slug:slug>/", studies.study, name="study"),
    path("<slug:slug>/cleaning/", cleaning.page, name="cleaning"),
    path("<slug:slug>/environments/", environments.environments, name="environments"),
    path("<slug:slug>/environments/<int:environment_id>/look/", environments.look, name="look_at_environment"),
    path("<slug:slug>/attempts/<int:attempt_id>/judge/", judging.judge, name="judge"),
    path("<slug:slug>/attempts/", studies.attempts, name="attempts"),
    path("<slug:slug>/attempts/<int:attempt_id>/", studies.attempt, name="attempt"),
    path("<slug:slug>/attempts/<int:attempt_id>/replay/", replays.again, name="replay_again"),
    path("<slug:slug>/attempts/<int:attempt_id>/pictures/<str:content_hash>/", replays.picture, name="picture"),
    path("<slug:slug>/references/", references.references, name="references"),
    path("<slug:slug>/references/policy/", references.policy, name="reference_policy"),
    path("<slug:slug>/references/<int:condition_id>/", references.overrule, name="overrule_reference"),
]
