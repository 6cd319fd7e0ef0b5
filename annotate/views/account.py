"""Signing in and out, invitations, and the sample people's links."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth import login, logout
from django.contrib.auth.forms import SetPasswordForm
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotate.actions import people
from annotate.errors import NotFound
from annotate.models import Person

BACKEND = "django.contrib.auth.backends.ModelBackend"


class SignIn(LoginView):
    """E-mail and password; a person who is signed in already goes home."""

    template_name = "annotate/sign_in.html"
    redirect_authenticated_user = True


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """End the session. An open round goes on for its grace period: signing in again finds it."""
    logout(request)
    return redirect("sign_in")


@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Set the first password and come in. Used, expired and unknown tokens are all answered 404."""
    found = people.find_invitation(token)
    form: SetPasswordForm[Person] = SetPasswordForm(found.person, request.POST or None)
    if request.method == "POST" and form.is_valid():
        person = people.accept_invitation(found, form.cleaned_data["new_password1"])
        login(request, person, backend=BACKEND)
        return redirect("home")
    return render(request, "annotate/invitation.html", {"form": form, "person": found.person})


def _on_loopback(request: HttpRequest) -> bool:
    """True where the request came from this machine and the server is meant for it alone."""
    public = urlsplit(settings.PUBLIC_URL).hostname or ""
    if public != "localhost" and not public.endswith(".localhost") and public != "127.0.0.1":
        return False  # behind a proxy everybody's address is loopback
    if "HTTP_X_FORWARDED_FOR" in request.META or "HTTP_FORWARDED" in request.META:
        return False
    try:
        return ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False


@never_cache
@require_http_methods(["GET", "POST"])
def sample(request: HttpRequest, token: str) -> HttpResponse:
    """A sample person's link: a page with one button, on loopback only."""
    if not _on_loopback(request):
        raise NotFound
    person = people.find_sample_person(token)
    if request.method == "POST":
        login(request, person, backend=BACKEND)
        return redirect("home")
    return render(request, "annotate/sample.html", {"person": person})


@never_cache
@require_GET
def health(request: HttpRequest) -> JsonResponse:
    """Whether the web server and its database answer; nothing about anybody's data."""
    Person.objects.only("pk").first()
    return JsonResponse({"web": "ok", "database": "ok"})
