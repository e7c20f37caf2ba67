// A vault authenticates the sessions, which use prompts.
@_exported public import HTTPAuthentication
