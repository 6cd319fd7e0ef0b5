"""How long a bundle of 63,000 attempts and 20 million events takes beside a bare COPY of the events."""
