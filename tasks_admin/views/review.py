"""The review queue: the list, one item, claims, decisions, and the rules that fill it."""

from __future__ import annotations

from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotate.access import person_of
from annotate.actions import reviews
from annotate.counting import faulty_tasks
from annotate.errors import NotFound
from annotate.flags import RULES
from annotate.models import Person, Review, ReviewItem, Round
from annotate.stages import corrections
from tasks_admin import access, progress
from tasks_admin.paging import FirstRows
from tasks_admin.review import queue, rules
from tasks_admin.viewer.page import number, page_of


@login_required
@require_GET
def review(request: HttpRequest, slug: str) -> HttpResponse:
    """The queue of a study."""
    person = person_of(request)
    study = access.load_study(person, slug)
    other = request.GET.get("study", slug)
    if other != slug:
        return redirect("review", access.load_study(person, other).slug)
    blind = queue.blind_of(study)
    chosen = queue.chosen_of(request.GET.dict(), blind)
    found = queue.items(study, chosen)
    page = FirstRows(found, queue.PAGE).get_page(request.GET.get("page"))
    context = {
        "study": study,
        "studies": access.studies_of(person)[:50],
        "blind": blind,
        "chosen": chosen,
        "filtered": {name: value for name, value in chosen.items() if (name, value) != ("state", "open")},
        "filters": urlencode(chosen),
        "page": page,
        "items": queue.listed(found[max(0, page.start_index() - 1) : page.end_index()]),
        "standing": queue.standing(study),
        "corrections": corrections(study),
        "faulty": faulty_tasks(study),
        "environments": progress.environments_of(study),
        "rules": RULES.values(),
        "codes": [] if blind.code else study.participations.order_by("code").values_list("code", flat=True),
        "states": ["all", *queue.STATES],
        "may_decide": access.may_decide(person, study),
        "moment": timezone.now(),
    }
    return render(request, "tasks_admin/review.html", context)


def load_item(person: Person, slug: str, item_id: int) -> ReviewItem:
    """An item of the queue of one of the person's studies. Raises NotFound."""
    study = access.load_study(person, slug)
    found = ReviewItem.objects.filter(study=study, pk=item_id).select_related("study", "claimed_by").first()
    if found is None:
        raise NotFound
    return found


@login_required
@require_GET
def item(request: HttpRequest, slug: str, item_id: int) -> HttpResponse:
    """One item: the attempt viewer with the review form, blind as the study wants it; the next one is fetched ahead."""
    person = person_of(request)
    found = load_item(person, slug, item_id)
    blind = queue.blind_of(found.study)
    kind = "cold" if request.GET.get("attempt") == "cold" else "warm"
    attempt = access.attempts_of(found.study).filter(round=found.round_id, kind=kind).first()
    if attempt is None:
        raise NotFound
    chosen = queue.chosen_of(request.GET.dict(), blind)
    task = attempt.round.assignment.task_condition.task_id
    context = page_of(found.study, attempt, person, request.GET.dict(), blind) | {
        "item": found,
        "chosen": chosen,
        "filters": urlencode(chosen),
        "next_item": queue.next_after(found, person, chosen),
        "task_is_faulty": faulty_tasks(found.study).filter(pk=task).exists(),
    }
    return render(request, "tasks_admin/review_item.html", context)


@login_required
@require_POST
def claim(request: HttpRequest, slug: str, item_id: int) -> HttpResponse:
    """Hold the item, or hold it on; 409 where another lead has it."""
    person = person_of(request)
    access.load_study_to_change(person, slug)
    until = reviews.claim(load_item(person, slug, item_id), person)
    return JsonResponse({"until": f"{until:%H:%M} UTC"})


@login_required
@require_POST
def start(request: HttpRequest, slug: str) -> HttpResponse:
    """Claim the first open item that fits the filters, and go to it."""
    person = person_of(request)
    study = access.load_study_to_change(person, slug)
    filters = QueryDict(request.POST.get("filters", ""))
    chosen = queue.chosen_of(filters.dict(), queue.blind_of(study))
    first = reviews.claim_next(queue.items(study, {**chosen, "state": "open"}), person)
    if first is None:
        messages.success(request, "Nothing waits for a review here that another lead is not at already.")
        return redirect(f"{reverse('review', args=[slug])}?{urlencode(chosen)}")
    return redirect(f"{reverse('review_item', args=[slug, first.pk])}?{urlencode(chosen)}")


@login_required
@require_POST
def decide(request: HttpRequest, slug: str, round_id: int) -> HttpResponse:
    """Decide on a round; from the queue on to its next item, from the viewer back to the attempt."""
    person = person_of(request)
    study = access.load_study_to_change(person, slug)
    loaded = (
        "participation__study",
        "assignment__task_condition__task__environment",
        "assignment__participation__study",
    )
    round_ = Round.objects.filter(participation__study=study, pk=round_id).select_related(*loaded).first()
    if round_ is None:
        raise NotFound
    made = reviews.decide(round_, person, request.POST.get("decision", ""), request.POST.get("reason", ""))
    messages.success(request, f"Kept: {reviews.WORDS[made.decision]}.")
    return redirect(where_next(request, slug, made, person))


def where_next(request: HttpRequest, slug: str, made: Review, person: Person) -> str:
    """The next item of the queue, or the page that the decision was made on."""
    attempt = number(request.POST.get("attempt"))
    if attempt:
        return reverse("attempt", args=[slug, attempt])
    item = ReviewItem.objects.select_related("study").get(round=made.round_id)
    filters = QueryDict(request.POST.get("filters", ""))
    chosen = queue.chosen_of(filters.dict(), queue.blind_of(item.study))
    found = queue.next_after(item, person, chosen)
    address = reverse("review_item", args=[slug, found.pk]) if found else reverse("review", args=[slug])
    return f"{address}?{urlencode(chosen)}"


@login_required
@require_http_methods(["GET", "POST"])
def flag_rules(request: HttpRequest, slug: str) -> HttpResponse:
    """The rules with their thresholds; a change has every attempt looked at anew."""
    person = person_of(request)
    if request.method == "POST":
        study = access.load_study_to_change(person, slug)
        if rules.change(study, person, request.POST.dict()):
            messages.success(request, "Kept. The worker looks at every attempt anew; the queue follows.")
        return redirect("flag_rules", slug)
    study = access.load_study(person, slug)
    context = {
        "study": study,
        "settings": rules.settings_of(study),
        "may_decide": access.may_decide(person, study),
    }
    return render(request, "tasks_admin/flag_rules.html", context)
