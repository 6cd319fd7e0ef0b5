"""A trace in other tools' formats. Pure functions; nothing here knows Django, a database or a browser."""
