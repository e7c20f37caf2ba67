import Testing

/// The tests of the module, one after the other: they use the process's one default vault, which
/// some of them empty.
@Suite("Security", .serialized)
struct SecurityTests {}
