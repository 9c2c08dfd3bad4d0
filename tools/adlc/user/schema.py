"""Judges a value by a JSON Schema, for the few keywords the configuration's schema uses.

The gate answers before httpx and jsonschema are installed and within milliseconds, so the schema file
is read by this one function everywhere; tests hold its verdicts equal to jsonschema's.
"""

_TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "null": type(None)}
_WORDS = {"boolean": "true or false", "string": "a text", "integer": "a whole number", "object": "a group of keys", "array": "a list", "null": "empty"}
KEYWORDS = {"$schema", "title", "type", "properties", "additionalProperties", "minLength", "maxLength", "minimum", "maximum"}


def fault(value, schema: dict, where: str = "") -> str | None:
    """What is wrong with `value`, one line that names the place and never the value; None when nothing is.

    Raises ValueError for a schema that uses other keywords: it would be read as laxer than it is.
    """
    if not KEYWORDS.issuperset(schema):
        raise ValueError(f"unsupported keywords: {sorted(set(schema) - KEYWORDS)}")
    place = where or "the file"
    wanted = schema.get("type", [])
    wanted = [wanted] if isinstance(wanted, str) else wanted
    if wanted and type(value) not in [_TYPES[name] for name in wanted]:
        return f"{place} must be " + " or ".join(_WORDS[name] for name in wanted if name != "null")
    if isinstance(value, str):
        if len(value) < schema.get("minLength", 0):
            return f"{place} must not be empty"
        if len(value) > schema.get("maxLength", len(value)):
            return f"{place} must have at most {schema['maxLength']} characters"
    if type(value) is int and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        return f"{place} must be between {schema.get('minimum', '…')} and {schema.get('maximum', '…')}"
    if isinstance(value, dict):
        known = schema.get("properties", {})
        if schema.get("additionalProperties") is False and not set(value) <= set(known):
            # A key somebody put in the wrong place can be a credential: only a plain word is repeated.
            key = next(k for k in value if k not in known)
            shown = f" '{key}'" if key.isascii() and key.replace("_", "").isalpha() and len(key) <= 20 else ""
            return f"{place} has an unknown key{shown}; known: {', '.join(known)}"
        for key, below in known.items():
            if key in value:
                found = fault(value[key], below, f"{where}.{key}" if where else key)
                if found:
                    return found
    return None
