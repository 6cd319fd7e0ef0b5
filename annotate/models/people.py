"""People and the invitations by which they come in. There is no open sign-up and no default password."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.db import models
from django.db.models.functions import Lower


class PersonManager(BaseUserManager["Person"]):
    def create_person(self, email: str, name: str = "", *, is_sample: bool = False) -> Person:
        """A person who cannot sign in by password until an invitation has set one."""
        person = self.model(email=self.normalize_email(email).lower(), name=name, is_sample=is_sample)
        person.set_unusable_password()
        person.save(using=self._db)
        return person

    def get_by_natural_key(self, username: str | None) -> Person:
        return self.get(email=(username or "").strip().lower())


class Person(AbstractBaseUser):
    """An account. Deactivated, never deleted: codes and data outlive it."""

    email = models.EmailField(unique=True)
    name = models.CharField(max_length=120, blank=True)
    time_zone = models.CharField(max_length=60, default="UTC")
    language = models.CharField(
        max_length=10, default="en-GB"
    )  # how dates and numbers are written; see annotate/locale.py
    is_active = models.BooleanField(default=True)
    may_create_studies = models.BooleanField(default=False)  # whoever owns or leads a study may as well
    is_sample = models.BooleanField(
        default=False
    )  # of the sample study: signs in by a link that works on loopback only
    joined_at = models.DateTimeField(auto_now_add=True)
    removed_at = models.DateTimeField(null=True)  # account data was taken out; the bare row stays for what points to it

    objects: ClassVar[PersonManager] = PersonManager()
    USERNAME_FIELD = "email"

    class Meta:
        constraints = [models.UniqueConstraint(Lower("email"), name="one_account_per_email")]

    def __str__(self) -> str:
        return self.name or self.email

    @property
    def leads_studies(self) -> bool:
        """True for whoever has a role in a study, or may make one: they have a lead's side."""
        return self.may_create_studies or self.study_roles.exists()


class Invitation(models.Model):
    """A link that lets its person set a password once. Only the token's hash is kept."""

    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="invitations")
    token_hash = models.CharField(max_length=64, unique=True)
    invited_by = models.ForeignKey(Person, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"invitation of {self.person_id}"
