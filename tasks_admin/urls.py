"""The lead's routes."""

from django.urls import path

from tasks_admin.views import (
    assignments,
    cleaning,
    environments,
    judging,
    progress,
    references,
    replays,
    review,
    studies,
    viewer,
)

urlpatterns = [
    path("", progress.studies, name="studies"),
    path("<slug:slug>/", progress.study, name="study"),
    path("<slug:slug>/now/", progress.now, name="study_now"),
    path("<slug:slug>/assignments/", assignments.assignments, name="assignments"),
    path("<slug:slug>/assignments/<int:assignment_id>/", assignments.assignment, name="assignment"),
    path("<slug:slug>/assignments/<int:assignment_id>/return/", assignments.give_back, name="return_assignment"),
    path("<slug:slug>/assignments/<int:assignment_id>/withdraw/", assignments.withdraw, name="withdraw_assignment"),
    path("<slug:slug>/assignments/<int:assignment_id>/end-round/", assignments.end_round, name="end_round"),
    path("<slug:slug>/cleaning/", cleaning.page, name="cleaning"),
    path("<slug:slug>/environments/", environments.environments, name="environments"),
    path("<slug:slug>/environments/<int:environment_id>/look/", environments.look, name="look_at_environment"),
    path("<slug:slug>/attempts/<int:attempt_id>/judge/", judging.judge, name="judge"),
    path("<slug:slug>/attempts/", studies.attempts, name="attempts"),
    path("<slug:slug>/attempts/<int:attempt_id>/", viewer.attempt, name="attempt"),
    path("<slug:slug>/attempts/<int:attempt_id>/rows/<str:kind>/", viewer.rows, name="attempt_rows"),
    path("<slug:slug>/attempts/<int:attempt_id>/events/<int:index>/", viewer.event, name="attempt_event"),
    path("<slug:slug>/attempts/<int:attempt_id>/frames/", viewer.frames, name="frames"),
    path("<slug:slug>/attempts/<int:attempt_id>/replay/", replays.again, name="replay_again"),
    path("<slug:slug>/attempts/<int:attempt_id>/pictures/<str:content_hash>/", replays.picture, name="picture"),
    path("<slug:slug>/review/", review.review, name="review"),
    path("<slug:slug>/review/start/", review.start, name="start_review"),
    path("<slug:slug>/review/rules/", review.flag_rules, name="flag_rules"),
    path("<slug:slug>/review/<int:item_id>/", review.item, name="review_item"),
    path("<slug:slug>/review/<int:item_id>/claim/", review.claim, name="claim_review"),
    path("<slug:slug>/rounds/<int:round_id>/decide/", review.decide, name="decide"),
    path("<slug:slug>/references/", references.references, name="references"),
    path("<slug:slug>/references/policy/", references.policy, name="reference_policy"),
    path("<slug:slug>/references/<int:condition_id>/", references.overrule, name="overrule_reference"),
]
