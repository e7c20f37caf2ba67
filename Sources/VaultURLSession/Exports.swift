// Sessions are authenticated by a vault, and ask prompts.
@_exported public import HTTPAuthentication
