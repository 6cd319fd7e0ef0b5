"""The gateway: a reverse proxy in front of the environment that puts the recorder into every HTML document."""
