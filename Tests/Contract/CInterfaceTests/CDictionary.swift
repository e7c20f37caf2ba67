import CVault
import TestSupport

/// A dictionary of the small CoreFoundation; released with its last reference.
///
/// It is filled by one thread, and then read by any.
@safe final class CDictionary: @unchecked Sendable {
  // The object itself is never exchanged.
  let object: VaultCFMutableDictionaryRef?

  init(_ texts: KeyValuePairs<String, String> = [:], copying other: CDictionary? = nil) {
    if let other {
      unsafe object = VaultCFDictionaryCreateMutableCopy(nil, 0, other.object)
    } else {
      unsafe object = Self.empty()
    }
    for (key, text) in texts { set(key, text: text) }
  }

  deinit { unsafe VaultCFRelease(UnsafeRawPointer(object)) }

  private static func empty() -> VaultCFMutableDictionaryRef? {
    // Each key and value is an object or a handle.
    var values = unsafe VaultCFDictionaryValueCallBacks(
      version: 0, retain: { _, value in unsafe VaultCFRetain(value) },
      release: { _, value in unsafe VaultCFRelease(value) }, copyDescription: nil,
      equal: { first, second in unsafe VaultCFEqual(first, second) })
    var keys = unsafe VaultCFDictionaryKeyCallBacks(
      version: 0, retain: values.retain, release: values.release, copyDescription: nil,
      equal: values.equal, hash: { unsafe VaultCFHash($0) })
    // The callbacks are copied during the call.
    return unsafe VaultCFDictionaryCreateMutable(nil, 0, &keys, &values)
  }

  /// Sets a value, which the dictionary retains.
  func set(_ key: String, _ value: UnsafeRawPointer?) {
    // A constant string is never freed.
    unsafe VaultCFDictionarySetValue(object, UnsafeRawPointer(VaultCFConstantString(key)), value)
  }

  func set(_ key: String, text: String) {
    let encoding = VaultCFStringEncoding(kVaultCFStringEncodingUTF8)
    // The text is copied during the call; the string is the dictionary's from then on.
    let string = unsafe UnsafeRawPointer(VaultCFStringCreateWithCString(nil, text, encoding))
    unsafe set(key, string)
    unsafe VaultCFRelease(string)
  }

  func set(_ key: String, data text: String) {
    let bytes = Array(text.utf8)
    // The bytes are copied during the call; the data is the dictionary's from then on.
    let data = unsafe UnsafeRawPointer(VaultCFDataCreate(nil, bytes, bytes.count))
    unsafe set(key, data)
    unsafe VaultCFRelease(data)
  }

  /// Sets a flag, which is a constant.
  func set(flag key: String) {
    unsafe set(key, UnsafeRawPointer(VaultCFBooleanGet(1)))
  }
}

extension CDictionary {
  func add() -> Int32 { unsafe VaultSecItemAdd(object, nil) }

  func update(_ changes: CDictionary) -> Int32 { unsafe VaultSecItemUpdate(object, changes.object) }

  func delete() -> Int32 { unsafe VaultSecItemDelete(object) }

  /// Returns what is found; NULL for a failure, and if nothing is to be returned.
  func copyMatching() -> (status: Int32, result: CResult) {
    var found: UnsafeRawPointer?
    // The place is this function's own.
    let status = unsafe VaultSecItemCopyMatching(object, &found)
    return (status, unsafe CResult(owning: found))
  }
}

/// An object that a function returned, or a part of one; released with its last reference.
@safe final class CResult {
  let object: UnsafeRawPointer?

  /// Takes an object over from its function.
  init(owning object: UnsafeRawPointer?) {
    unsafe self.object = object
  }

  private init(_ part: UnsafeRawPointer?) {
    // A part is retained: it stays valid after the whole.
    unsafe object = VaultCFRetain(part)
  }

  deinit { unsafe VaultCFRelease(object) }

  /// The type; 0 for NULL.
  var type: VaultCFTypeID { unsafe VaultCFGetTypeID(object) }

  /// The text of data; empty for anything else.
  var text: String {
    // Data is as long as it says.
    let bytes = unsafe UnsafeBufferPointer(
      start: VaultCFDataGetBytePtr(OpaquePointer(object)), count: count)
    return unsafe String(decoding: bytes, as: UTF8.self)
  }

  /// The number of bytes of data; 0 for anything else.
  var count: Int { unsafe VaultCFDataGetLength(OpaquePointer(object)) }

  /// The elements of an array; none for anything else.
  var elements: [CResult] {
    (0..<(unsafe VaultCFArrayGetCount(OpaquePointer(object)))).map { index in
      unsafe CResult(VaultCFArrayGetValueAtIndex(OpaquePointer(object), index))
    }
  }

  /// Returns a dictionary's value; NULL if there is none.
  func value(_ key: String) -> CResult {
    // A constant string is never freed.
    unsafe CResult(
      VaultCFDictionaryGetValue(
        OpaquePointer(object), UnsafeRawPointer(VaultCFConstantString(key))))
  }
}

/// The stores of a vault.
enum Store: CaseIterable {
  case file, memory

  /// Makes a vault in memory, or in a file of a folder.
  func vault(in folder: TemporaryFolder) throws -> CVaultObject {
    switch self {
    case .file: try CVaultObject.inFile(of: folder)
    case .memory: try CVaultObject.inMemory()
    }
  }
}

extension CVaultObject {
  /// A dictionary that means this vault, of which others are copies.
  var dictionary: CDictionary {
    let made = CDictionary()
    // The handle is only passed on.
    unsafe made.set("u_Keychain", UnsafeRawPointer(handle))
    return made
  }
}
