"""The lead's routes."""

from django.urls import path

from tasks_admin.views import cleaning, studies

urlpatterns = [
    path("", studies.studies, name="studies"),
    path("<slug:slug>/", studies.study, name="study"),
    path("<slug:slug>/cleaning/", cleaning.page, name="cleaning"),
    path("<slug:slug>/attempts/", studies.attempts, name="attempts"),
    path("<slug:slug>/attempts/<int:attempt_id>/", studies.attempt, name="attempt"),
]
