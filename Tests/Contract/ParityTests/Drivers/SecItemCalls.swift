import CVault
import TestSupport

/// A value of SecItem's dictionaries, for rows.
enum SecItemValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral
{
  case text(String)
  case flag(Bool)
  case number(Int64)
  case data([UInt8])
  case reference(CFObject)
  case array([SecItemValue])

  init(stringLiteral value: String) { self = .text(value) }
  init(booleanLiteral value: Bool) { self = .flag(value) }
  init(integerLiteral value: Int64) { self = .number(value) }

  /// An object of the value.
  fileprivate func object() -> CFObject {
    // Each object is new, or a constant.
    switch self {
    case .text(let text):
      return unsafe CFObject(
        UnsafeRawPointer(
          VaultCFStringCreateWithCString(
            nil, text, VaultCFStringEncoding(kVaultCFStringEncodingUTF8))))
    case .flag(let isSet):
      return unsafe CFObject(UnsafeRawPointer(VaultCFBooleanGet(isSet ? 1 : 0)))
    case .number(var number):
      return unsafe CFObject(
        UnsafeRawPointer(
          VaultCFNumberCreate(
            nil, VaultCFNumberType(kVaultCFNumberSInt64Type), &number)))
    case .data(let bytes): return unsafe CFObject(UnsafeRawPointer(CF.data(bytes)))
    case .reference(let object): return object
    case .array(let values):
      var callbacks = CFObject.callbacks
      // The array retains each value.
      let array = unsafe VaultCFArrayCreateMutable(nil, 0, &callbacks)
      for value in values { value.object().use { unsafe VaultCFArrayAppendValue(array, $0) } }
      return unsafe CFObject(UnsafeRawPointer(array))
    }
  }

  /// Calls `body` with a dictionary.
  @safe static func with<R>(
    _ entries: [String: SecItemValue], _ body: (VaultCFDictionaryRef?) throws -> R
  ) rethrows -> R {
    var (keys, values) = (CFObject.keyCallbacks, CFObject.callbacks)
    // The dictionary retains each key and value.
    let dictionary = unsafe VaultCFDictionaryCreateMutable(nil, 0, &keys, &values)
    defer { unsafe VaultCFRelease(UnsafeRawPointer(dictionary)) }
    for (key, value) in entries {
      value.object().use {
        unsafe VaultCFDictionarySetValue(dictionary, UnsafeRawPointer(CF.string(key)), $0)
      }
    }
    return try unsafe body(dictionary)
  }
}

/// An object or handle that is released with this.
///
/// Safe: nobody reads through the pointer, of which this owns one reference.
@safe final class CFObject {
  private let pointer: UnsafeRawPointer?

  init(_ pointer: UnsafeRawPointer?) { unsafe self.pointer = unsafe pointer }

  deinit { unsafe VaultCFRelease(pointer) }

  /// Returns an array of handles, which it does not retain.
  static func array(_ handles: [OpaquePointer?]) -> CFObject {
    // The handles are only passed on.
    let array = unsafe VaultCFArrayCreateMutable(nil, 0, nil)
    for index in unsafe handles.indices {
      unsafe VaultCFArrayAppendValue(array, UnsafeRawPointer(handles[index]))
    }
    return unsafe CFObject(UnsafeRawPointer(array))
  }

  /// Calls `body` with the pointer, which is good until it returns.
  @safe func use<R>(_ body: (UnsafeRawPointer?) throws -> R) rethrows -> R {
    defer { withExtendedLifetime(self) {} }
    return try unsafe body(pointer)
  }

  /// The name of the type; "nothing" for NULL.
  var type: String {
    let name = unsafe VaultCFCopyTypeIDDescription(VaultCFGetTypeID(pointer))
    return unsafe name == nil ? "nothing" : CF.text(UnsafeRawPointer(name))
  }

  /// The text of a string.
  var text: String { unsafe CF.text(pointer) }

  /// The number of elements of an array.
  var count: Int { unsafe VaultCFArrayGetCount(OpaquePointer(pointer)) }

  /// Returns the value of a key of a dictionary.
  subscript(_ key: String) -> CFObject {
    unsafe CFObject(
      VaultCFRetain(
        VaultCFDictionaryGetValue(OpaquePointer(pointer), UnsafeRawPointer(CF.string(key)))))
  }

  static var callbacks: VaultCFArrayCallBacks {
    // Each value is an object or a handle.
    unsafe VaultCFArrayCallBacks(
      version: 0, retain: { unsafe VaultCFRetain($1) }, release: { unsafe VaultCFRelease($1) },
      copyDescription: { unsafe VaultCFCopyDescription($0) },
      equal: { unsafe VaultCFEqual($0, $1) })
  }

  static var keyCallbacks: VaultCFDictionaryKeyCallBacks {
    // Each key is a string.
    unsafe VaultCFDictionaryKeyCallBacks(
      version: 0, retain: { unsafe VaultCFRetain($1) }, release: { unsafe VaultCFRelease($1) },
      copyDescription: { unsafe VaultCFCopyDescription($0) },
      equal: { unsafe VaultCFEqual($0, $1) }, hash: { unsafe VaultCFHash($0) })
  }
}

extension KeychainDriver {
  /// Returns a query for the driver's vault and internet passwords.
  private func complete(_ entries: [String: SecItemValue]) -> [String: SecItemValue] {
    entries.merging(["class": "inet", "m_SearchList": .array([reference])]) { given, _ in given }
  }

  /// The driver's vault, as a value.
  private var reference: SecItemValue {
    // The object owns a reference of its own.
    .reference(unsafe CFObject(VaultCFRetain(UnsafeRawPointer(vault))))
  }

  /// Adds by SecItem, in the driver's vault.
  @discardableResult
  func addItem(_ entries: [String: SecItemValue]) throws -> CFObject {
    let all = entries.merging(["class": "inet", "u_Keychain": reference]) { given, _ in given }
    return try SecItemValue.with(all) { dictionary in
      var result: UnsafeRawPointer?
      // The place is this function's own.
      try check(unsafe VaultSecItemAdd(dictionary, &result))
      return unsafe CFObject(result)
    }
  }

  /// Finds by SecItem in the driver's vault; `isBare` leaves out the class and the vault.
  func findItem(_ entries: [String: SecItemValue], isBare: Bool = false) throws -> CFObject {
    try SecItemValue.with(isBare ? entries : complete(entries)) { dictionary in
      var result: UnsafeRawPointer?
      // The place is this function's own.
      try check(unsafe VaultSecItemCopyMatching(dictionary, &result))
      return unsafe CFObject(result)
    }
  }

  func updateItem(
    _ query: [String: SecItemValue], _ changes: [String: SecItemValue], isBare: Bool = false
  ) throws {
    try SecItemValue.with(isBare ? query : complete(query)) { query in
      try SecItemValue.with(changes) { changes in
        try check(unsafe VaultSecItemUpdate(query, changes))
      }
    }
  }

  func deleteItem(_ query: [String: SecItemValue], isBare: Bool = false) throws {
    try SecItemValue.with(isBare ? query : complete(query)) { query in
      try check(unsafe VaultSecItemDelete(query))
    }
  }
}
