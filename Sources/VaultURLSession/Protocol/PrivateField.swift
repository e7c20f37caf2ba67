@_spi(Reflection) import Swift

/// A stored property of a class of Foundation's that has no public name.
///
/// The runtime says where it is and of which type, so that no layout is guessed.
struct PrivateField: Sendable {
  private let offset: Int
  let type: Any.Type

  /// Looks up a property by its name; nil if the class itself has none.
  init?(_ name: String, of owner: any AnyObject.Type) {
    var found: (offset: Int, type: Any.Type)?
    // `classType`, which the library has as a variable.
    let options = _EachFieldOptions(rawValue: 1)
    // The name is a C string that lives as long as the class.
    _ = unsafe _forEachField(of: owner, options: options) { label, offset, type, _ in
      guard unsafe String(cString: label) == name else { return true }
      found = (offset, type)
      return false
    }
    guard let found else { return nil }
    (offset, type) = found
  }

  /// Returns whether a type of ours is that of the property.
  func holds<Value>(_ expected: Value.Type) -> Bool { type == expected }

  /// Returns the value in an object of the class.
  ///
  /// Nothing may change it meanwhile.
  func value(in owner: AnyObject) -> Any {
    func read<Value>(_ type: Value.Type) -> Any {
      // The runtime's own offset and type of this property, of an object that the caller holds.
      unsafe address(in: owner).assumingMemoryBound(to: type).pointee
    }
    return _openExistential(type, do: read)
  }

  /// Changes the value in an object of the class, if the property has this type.
  ///
  /// Nothing else may use it meanwhile.
  ///
  /// - Returns: Whether the property has this type.
  @discardableResult
  func set<Value>(_ value: Value, in owner: AnyObject) -> Bool {
    guard holds(Value.self) else { return false }
    // As above.
    unsafe address(in: owner).assumingMemoryBound(to: Value.self).pointee = value
    return true
  }

  /// Changes the value in an object of the class by a function for its type.
  func change(in owner: AnyObject, _ body: (UnsafeMutableRawPointer, Any.Type) -> Void) {
    // As above.
    unsafe body(address(in: owner), type)
  }

  private func address(in owner: AnyObject) -> UnsafeMutableRawPointer {
    // The caller holds the object while the address is used.
    unsafe Unmanaged.passUnretained(owner).toOpaque().advanced(by: offset)
  }
}
