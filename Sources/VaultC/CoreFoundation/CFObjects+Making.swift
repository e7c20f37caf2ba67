import CVault
import CredentialVault
import KeychainServices
import SecureMemory
import VaultModel

/// The objects of the small CoreFoundation, as the library makes and reads them.
enum CFObjects {}

extension CFObjects {
  /// Returns an object of a value, which the caller owns.
  ///
  /// A secret is copied to data, which is wiped with its last owner: Apple's interface has no other
  /// form for it.
  ///
  /// - Throws: ``VaultError/Code/outOfMemory``.
  static func object(_ value: KeychainValue) throws(VaultError) -> UnsafeRawPointer {
    // Each object is new, or a constant, or a reference.
    switch value {
    case .text(let text): unsafe UnsafeRawPointer(try string(text))
    case .data(let bytes): unsafe UnsafeRawPointer(try data(bytes))
    case .secret(let secret): try unsafe secretData(secret)
    case .number(let number): try unsafe self.number(number)
    case .flag(let isSet): try unsafe made(VaultCFBooleanGet(isSet ? 1 : 0))
    case .date(let date): try unsafe made(VaultCFDateCreate(nil, date.absoluteTime))
    case .array(let values): try unsafe array(values)
    case .dictionary(let values): try unsafe dictionary(values)
    case .item(let reference): try unsafe made(handle(reference).givenOut())
    case .vault(let vault): try unsafe made(VaultHandle(vault).givenOut())
    // Dictionaries of callers have such values, results never.
    case .access, .other: throw VaultError(.internalError, "a result of no type")
    }
  }

  /// Returns data with a copy of bytes.
  static func data(_ bytes: [UInt8]) throws(VaultError) -> VaultCFDataRef {
    // The bytes are copied during the call.
    guard let data = unsafe VaultCFDataCreate(nil, bytes, bytes.count) else { throw .noMemory }
    return unsafe data
  }

  /// Returns a number: of 32 bits if they are enough, as the keychain's numbers are on Apple's
  /// systems, where programs rely on it.
  private static func number(_ number: Int64) throws(VaultError) -> UnsafeRawPointer {
    // The value is read during the call.
    if var small = Int32(exactly: number) {
      return try unsafe made(
        VaultCFNumberCreate(nil, VaultCFNumberType(kVaultCFNumberSInt32Type), &small))
    }
    var number = number
    return try unsafe made(
      VaultCFNumberCreate(nil, VaultCFNumberType(kVaultCFNumberSInt64Type), &number))
  }

  private static func secretData(_ secret: Secret) throws(VaultError) -> UnsafeRawPointer {
    try unsafe secret.withRawBytes { (bytes) throws(VaultError) in
      // The bytes are copied during the call.
      try unsafe bytes.withUnsafeBytes { (bytes) throws(VaultError) in
        let start = unsafe bytes.bindMemory(to: UInt8.self).baseAddress
        return try unsafe made(VaultCFDataCreate(nil, start, bytes.count))
      }
    }
  }

  /// Returns the handle of an item, as it is now.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound`` if it was removed since it was found.
  private static func handle(
    _ reference: KeychainItemReference
  ) throws(VaultError) -> ItemHandle {
    let item = try reference.vault.item(reference.id, hint: reference.key)
    return ItemHandle(item, in: VaultHandle(reference.vault))
  }

  /// Returns a string.
  static func string(_ text: String) throws(VaultError) -> VaultCFStringRef {
    // A view of bytes: every bit pattern of UTF-8 is valid as raw bytes.
    try unsafe string(text.utf8.span.bytes)
  }

  /// Returns a string of a secret, which is wiped with its last owner.
  static func string(_ secret: Secret) throws(VaultError) -> VaultCFStringRef {
    // The string is the caller's, whoever allocates it.
    try unsafe secret.withRawBytes { (bytes) throws(VaultError) in try unsafe string(bytes) }
  }

  private static func string(_ bytes: RawSpan) throws(VaultError) -> VaultCFStringRef {
    // The bytes are copied during the call.
    let string = unsafe bytes.withUnsafeBytes { bytes in
      unsafe VaultCFStringCreateWithBytes(
        nil, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count,
        VaultCFStringEncoding(kVaultCFStringEncodingUTF8), 0)
    }
    guard let string = unsafe string else { throw .noMemory }
    return unsafe string
  }

  private static func made(_ pointer: OpaquePointer?) throws(VaultError) -> UnsafeRawPointer {
    // Nobody reads through it here.
    guard let pointer = unsafe pointer else { throw .noMemory }
    return unsafe UnsafeRawPointer(pointer)
  }

  /// Returns an array with references to vaults.
  static func array(of vaults: [VaultHandle]) throws(VaultError) -> VaultCFArrayRef {
    // An array is an object of this type.
    try unsafe OpaquePointer(array(vaults.map { .vault($0.vault) }))
  }

  /// Returns an array of new handles, which it alone owns.
  static func array(ofHandles handles: [Handle]) throws(VaultError) -> VaultCFArrayRef {
    var callbacks = valueCallbacks
    // The callbacks are copied during the call. The array retains each element.
    let array = try unsafe made(VaultCFArrayCreateMutable(nil, 0, &callbacks))
    for handle in handles {
      let reference = unsafe UnsafeRawPointer(handle.givenOut())
      unsafe VaultCFArrayAppendValue(OpaquePointer(array), reference)
      unsafe VaultCFRelease(reference)
    }
    return OpaquePointer(array)
  }

  private static func array(_ values: [KeychainValue]) throws(VaultError) -> UnsafeRawPointer {
    var callbacks = valueCallbacks
    // The callbacks are copied during the call. The array retains each element.
    let array = try unsafe made(VaultCFArrayCreateMutable(nil, 0, &callbacks))
    do throws(VaultError) {
      for value in values {
        let object = try unsafe object(value)
        unsafe VaultCFArrayAppendValue(OpaquePointer(array), object)
        unsafe VaultCFRelease(object)
      }
    } catch {
      unsafe VaultCFRelease(array)
      throw error
    }
    return unsafe array
  }

  private static func dictionary(
    _ values: [String: KeychainValue]
  ) throws(VaultError) -> UnsafeRawPointer {
    var (keys, callbacks) = (keyCallbacks, valueCallbacks)
    // The callbacks are copied during the call. The dictionary retains each key and value.
    let dictionary = try unsafe made(VaultCFDictionaryCreateMutable(nil, 0, &keys, &callbacks))
    do throws(VaultError) {
      // In one order, whatever the hashes of this process are.
      for (key, value) in values.sorted(by: { $0.key < $1.key }) {
        let name = try unsafe UnsafeRawPointer(string(key))
        defer { unsafe VaultCFRelease(name) }
        let object = try unsafe object(value)
        unsafe VaultCFDictionarySetValue(OpaquePointer(dictionary), name, object)
        unsafe VaultCFRelease(object)
      }
    } catch {
      unsafe VaultCFRelease(dictionary)
      throw error
    }
    return unsafe dictionary
  }

  /// The callbacks of keys that are objects.
  static var keyCallbacks: VaultCFDictionaryKeyCallBacks {
    // Each key is an object.
    unsafe VaultCFDictionaryKeyCallBacks(
      version: 0, retain: valueCallbacks.retain, release: valueCallbacks.release,
      copyDescription: valueCallbacks.copyDescription, equal: valueCallbacks.equal,
      hash: { unsafe VaultCFHash($0) })
  }

  /// The callbacks of a collection of objects.
  static var valueCallbacks: VaultCFArrayCallBacks {
    // Each value is an object or a handle.
    unsafe VaultCFArrayCallBacks(
      version: 0, retain: { _, value in unsafe VaultCFRetain(value) },
      release: { _, value in unsafe VaultCFRelease(value) },
      copyDescription: { value in unsafe VaultCFCopyDescription(value) },
      equal: { first, second in unsafe VaultCFEqual(first, second) })
  }
}

extension VaultError {
  static var noMemory: VaultError {
    VaultError(.outOfMemory, "allocate what is given out")
  }
}
