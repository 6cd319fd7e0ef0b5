"""The bundled benchmark: websites with state of their own, reached only through the environment protocol."""
