/// An item, as a C interface refers to it.
///
/// Safe: the handle is only passed on, to functions that look handles up before they use them.
@safe class HandleReference: Reference {
  final let handle: OpaquePointer?

  init(_ handle: OpaquePointer?) { unsafe self.handle = unsafe handle }

  /// Calls `body` with the handle, which is good until it returns.
  @safe final func with<R>(_ body: (OpaquePointer?) throws -> R) rethrows -> R {
    try unsafe body(handle)
  }
}
