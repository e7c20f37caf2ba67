import CVault
import KeychainServices
import SecureMemory
import VaultModel

/// An object that is released with its last owner, so that one that is made of several leaves none
/// behind if a later one cannot be made.
///
/// Safe: the pointer is an object's or a handle, of which this owns one reference.
@safe final class OwnedObject {
  private let pointer: UnsafeRawPointer

  /// Takes over an object.
  private init(owned pointer: UnsafeRawPointer?) throws(VaultError) {
    guard let pointer = unsafe pointer else { throw .noMemory }
    unsafe self.pointer = pointer
  }

  deinit { unsafe VaultCFRelease(pointer) }

  /// Returns the object with a reference of the caller's.
  func givenOut() -> UnsafeRawPointer {
    unsafe VaultCFRetain(pointer)
    return unsafe pointer
  }

  /// Makes an object of a value.
  convenience init(_ value: KeychainValue) throws(VaultError) {
    try unsafe self.init(owned: CFObjects.object(value))
  }

  /// Makes a string of a secret, which is wiped with its last owner.
  convenience init(string secret: Secret) throws(VaultError) {
    try unsafe self.init(owned: UnsafeRawPointer(CFObjects.string(secret)))
  }

  /// Makes empty data that can grow, and are wiped with their last owner.
  static func mutableData() throws(VaultError) -> OwnedObject {
    try unsafe OwnedObject(owned: UnsafeRawPointer(VaultCFDataCreateMutable(nil, 0)))
  }

  /// Appends bytes to data of ``mutableData()``.
  func append(_ bytes: RawSpan) {
    // The bytes are copied during the call.
    unsafe bytes.withUnsafeBytes { bytes in
      let start = unsafe bytes.bindMemory(to: UInt8.self).baseAddress
      unsafe VaultCFDataAppendBytes(OpaquePointer(pointer), start, bytes.count)
    }
  }

  /// Makes a new handle.
  convenience init(_ handle: Handle) throws(VaultError) {
    try unsafe self.init(owned: UnsafeRawPointer(handle.givenOut()))
  }

  /// Makes an array of new handles.
  convenience init(handles: [Handle]) throws(VaultError) {
    try unsafe self.init(owned: UnsafeRawPointer(CFObjects.array(ofHandles: handles)))
  }

  /// Makes an array, which retains its elements.
  convenience init(_ elements: [OwnedObject]) throws(VaultError) {
    var callbacks = CFObjects.valueCallbacks
    // The callbacks are copied during the call.
    let array = unsafe VaultCFArrayCreateMutable(nil, 0, &callbacks)
    try unsafe self.init(owned: UnsafeRawPointer(array))
    for element in elements { unsafe VaultCFArrayAppendValue(array, element.pointer) }
  }

  /// Makes a dictionary, which retains its values.
  convenience init(_ entries: [(key: String, value: OwnedObject)]) throws(VaultError) {
    var (keys, callbacks) = (CFObjects.keyCallbacks, CFObjects.valueCallbacks)
    // The callbacks are copied during the call.
    let dictionary = unsafe VaultCFDictionaryCreateMutable(nil, 0, &keys, &callbacks)
    try unsafe self.init(owned: UnsafeRawPointer(dictionary))
    for (key, value) in entries {
      let name = try OwnedObject(.text(key))
      unsafe VaultCFDictionarySetValue(dictionary, name.pointer, value.pointer)
    }
  }
}
