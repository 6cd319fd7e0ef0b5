"""From raw events to cleaned events to steps. Pure functions; nothing here knows Django or a database."""
