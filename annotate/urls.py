"""The annotator's routes."""

from django.urls import include, path

from annotate import api
from annotate.views import account, leaving, profile, rounds, work

urlpatterns = [
    path("", work.home, name="home"),
    path("health/", account.health, name="health"),
    path("sign-in/", account.SignIn.as_view(), name="sign_in"),
    path("sign-out/", account.sign_out, name="sign_out"),
    path("invitation/<str:token>/", account.invitation, name="invitation"),
    path("sample/<str:token>/", account.sample, name="sample"),
    path("work/", work.dashboard, name="dashboard"),
    path("work/<slug:study>/consent/", work.consent, name="consent"),
    path("work/<slug:study>/guidelines/", work.guidelines, name="guidelines"),
    path("work/<slug:study>/assignments/", work.assignments, name="own_assignments"),
    path("work/<slug:study>/leave/", leaving.leave, name="leave"),
    path("work/<slug:study>/stay/", leaving.stay, name="stay"),
    path("profile/", profile.profile, name="profile"),
    path("profile/password/", profile.password, name="change_password"),
    path("notes/<int:note_id>/read/", work.read_note, name="read_note"),
    path("assignments/<int:assignment_id>/start/", work.start, name="start"),
    path("rounds/<int:round_id>/", rounds.control, name="round"),
    path("api/", include(api.urlpatterns)),
]
