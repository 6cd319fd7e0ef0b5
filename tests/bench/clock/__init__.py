"""How far an event's `t` is from the moment the browser says that the input happened."""
