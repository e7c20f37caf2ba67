// One import is enough, as on Apple's systems.
@_exported public import SecurityConstants
@_exported public import SecurityObjects
