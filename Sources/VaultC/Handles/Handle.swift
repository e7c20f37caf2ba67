import VaultModel

/// The object behind a handle of the C interface.
class Handle: @unchecked Sendable {
  // Subclasses hold immutable `Sendable` values, or locks around what changes.

  /// The token, set once, by ``givenOut()``, before anyone else has the object.
  private var token: HandleRegistry.Token?

  /// Returns the handle to the caller, once, with one owner.
  final func givenOut() -> OpaquePointer? {
    let token = HandleRegistry.add(self)
    self.token = token
    // Nobody reads through it.
    return unsafe token.pointer
  }

  /// Adds an owner of the handle.
  ///
  /// - Returns: False if its last owner has released it meanwhile.
  @discardableResult
  final func retain() -> Bool {
    token.map(HandleRegistry.retain) ?? false
  }

  /// Removes an owner; after the last one, the handle is invalid.
  ///
  /// - Returns: False if its last owner has released it meanwhile.
  @discardableResult
  final func release() -> Bool {
    token.map(HandleRegistry.release) ?? false
  }

  /// Ends the handle for all its owners.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if another call has ended it meanwhile.
  final func end() throws(VaultError) {
    guard token.map(HandleRegistry.end) == true else { throw Self.noHandle }
  }

  private static var noHandle: VaultError {
    VaultError(.invalidArgument, "a handle is NULL, of another kind, or was released")
  }

  /// Returns the valid handle of this kind for a pointer, else nil; the pointer is never
  /// dereferenced.
  @safe static func find(_ pointer: UnsafeRawPointer?) -> Self? {
    // The pointer is only taken apart.
    guard !HomeProcess.wasLeft, let token = HandleRegistry.Token(UInt(bitPattern: pointer)),
      let handle = HandleRegistry.find(token), type(of: handle) == Self.self
    else { return nil }
    // Its type was compared just now; a cast by `as?` takes many times as long.
    return unsafe unsafeDowncast(handle, to: Self.self)
  }

  /// Returns the valid handle of this kind for a pointer.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if it is none, as for NULL.
  @safe static func at(_ pointer: OpaquePointer?) throws(VaultError) -> Self {
    // The pointer is only taken apart.
    guard let handle = find(unsafe UnsafeRawPointer(pointer)) else {
      throw noHandle
    }
    return handle
  }
}
