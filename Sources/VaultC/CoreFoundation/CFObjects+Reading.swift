import CVault
import Glibc
import KeychainServices
import SecureMemory
import VaultModel

extension CFObjects {
  /// The deepest nesting of collections that is read: none of the keychain's is deeper than two.
  private static var deepest: Int { 8 }

  /// Returns the bytes of data; nil for anything else.
  static func bytes(of data: VaultCFDataRef?) -> [UInt8]? {
    // The data is the caller's, as long as it says.
    guard let start = unsafe VaultCFDataGetBytePtr(data) else { return nil }
    return unsafe Array(UnsafeBufferPointer(start: start, count: VaultCFDataGetLength(data)))
  }

  /// Returns the entries of a dictionary whose keys are strings.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for anything else, as for NULL.
  static func entries(
    of dictionary: VaultCFDictionaryRef?
  ) throws(VaultError) -> [String: KeychainValue] {
    try unsafe entries(of: UnsafeRawPointer(dictionary), depth: 0)
  }

  private static func entries(
    of dictionary: UnsafeRawPointer?, depth: Int
  ) throws(VaultError) -> [String: KeychainValue] {
    guard unsafe VaultCFGetTypeID(dictionary) == VaultCFDictionaryGetTypeID() else {
      throw VaultError(.invalidArgument, "not a dictionary")
    }
    // The dictionary is the caller's; it writes as many keys and values as it says.
    let reference = OpaquePointer(dictionary)
    let count = unsafe VaultCFDictionaryGetCount(reference)
    let pairs = UnsafeMutablePointer<UnsafeRawPointer?>.allocate(capacity: 2 * count + 1)
    unsafe pairs.initialize(repeating: nil, count: 2 * count + 1)
    defer { unsafe pairs.deallocate() }
    unsafe VaultCFDictionaryGetKeysAndValues(reference, pairs, pairs + count)
    var entries: [String: KeychainValue] = [:]
    for index in 0..<count {
      guard let key = unsafe text(of: pairs[index]) else {
        throw VaultError(.invalidArgument, "a key that is not a string")
      }
      entries[key] = try unsafe value(of: pairs[count + index], key: key, depth: depth + 1)
    }
    return entries
  }

  /// Returns the value of a key of a dictionary, by the key's text: a dictionary without callbacks
  /// compares addresses, of which a literal may have several; nil if there is none.
  static func value(of dictionary: VaultCFDictionaryRef?, for key: String) -> UnsafeRawPointer? {
    // The dictionary is the caller's; it writes as many keys and values as it says.
    let count = unsafe VaultCFDictionaryGetCount(dictionary)
    let pairs = UnsafeMutablePointer<UnsafeRawPointer?>.allocate(capacity: 2 * count + 1)
    unsafe pairs.initialize(repeating: nil, count: 2 * count + 1)
    defer { unsafe pairs.deallocate() }
    unsafe VaultCFDictionaryGetKeysAndValues(dictionary, pairs, pairs + count)
    for index in 0..<count where unsafe text(of: pairs[index]) == key {
      return unsafe pairs[count + index]
    }
    return nil
  }

  /// Returns an object of the caller's as a value.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for NULL and what is not an object, naming the
  ///   key alone.
  private static func value(
    of object: UnsafeRawPointer?, key: String, depth: Int
  ) throws(VaultError) -> KeychainValue {
    let invalid = VaultError(.invalidArgument, "\(key): not a value of this key")
    guard depth <= deepest else { throw invalid }
    // The object is the caller's; each function checks its type again.
    let reference = OpaquePointer(object)
    switch unsafe VaultCFGetTypeID(object) {
    case VaultCFStringGetTypeID(): return .text(unsafe text(of: object) ?? "")
    case VaultCFDataGetTypeID(): return try unsafe data(reference, key)
    case VaultCFNumberGetTypeID():
      var number: Int64 = 0
      let type = VaultCFNumberType(kVaultCFNumberSInt64Type)
      guard unsafe VaultCFNumberGetValue(reference, type, &number) != 0 else { throw invalid }
      return .number(number)
    case VaultCFBooleanGetTypeID(): return .flag(unsafe VaultCFBooleanGetValue(reference) != 0)
    case VaultCFDateGetTypeID():
      guard let date = Timestamp(absoluteTime: unsafe VaultCFDateGetAbsoluteTime(reference)) else {
        throw invalid
      }
      return .date(date)
    case VaultCFArrayGetTypeID():
      var values: [KeychainValue] = []
      for index in 0..<(unsafe VaultCFArrayGetCount(reference)) {
        let element = unsafe VaultCFArrayGetValueAtIndex(reference, index)
        values.append(try unsafe value(of: element, key: key, depth: depth + 1))
      }
      return .array(values)
    case VaultCFDictionaryGetTypeID():
      return .dictionary(try unsafe entries(of: object, depth: depth))
    default: return try unsafe handle(object, invalid)
    }
  }

  /// Returns data; those that hold a secret go to guarded memory at once.
  private static func data(
    _ data: VaultCFDataRef?, _ key: String
  ) throws(VaultError) -> KeychainValue {
    guard key == "v_Data" else { return .data(unsafe bytes(of: data) ?? []) }
    // The data is the caller's, as long as it says.
    return .secret(
      try unsafe Input.secret(VaultCFDataGetBytePtr(data), VaultCFDataGetLength(data)))
  }

  private static func handle(
    _ handle: UnsafeRawPointer?, _ invalid: VaultError
  ) throws(VaultError) -> KeychainValue {
    // The reference is only taken apart.
    if let item = ItemHandle.find(handle) {
      return .item(KeychainItemReference(item.item, in: item.vault.vault))
    }
    if let access = AccessHandle.find(handle) {
      return .access(asksEachTime: access.asksEachTime)
    }
    guard unsafe VaultCFGetTypeID(handle) == VaultGetTypeID() else { throw invalid }
    return .vault(try KeychainVaults.known(handle).vault)
  }

  /// Returns a string's bytes as a secret.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for anything else.
  static func secret(of string: VaultCFStringRef?) throws(VaultError) -> Secret {
    let encoding = VaultCFStringEncoding(kVaultCFStringEncodingUTF8)
    // The bytes are the string's own, with a NUL behind them.
    guard let bytes = unsafe VaultCFStringGetCStringPtr(string, encoding) else {
      throw VaultError(.invalidArgument, "not a string")
    }
    return try unsafe Input.secret(bytes, strlen(bytes))
  }

  /// Returns the text of a string; nil for anything else.
  static func text(of string: UnsafeRawPointer?) -> String? {
    let encoding = VaultCFStringEncoding(kVaultCFStringEncodingUTF8)
    // The bytes are the string's own, with a NUL behind them.
    guard let bytes = unsafe VaultCFStringGetCStringPtr(OpaquePointer(string), encoding) else {
      return nil
    }
    return unsafe String(cString: bytes)
  }
}

extension Timestamp {
  /// The milliseconds from 1970 to 2001, where Apple's times begin.
  private static var apple: Double { 978_307_200_000 }

  /// Creates the time of seconds since 2001; nil for one that no item has.
  init?(absoluteTime: Double) {
    guard let milliseconds = Int64(exactly: (absoluteTime * 1000 + Self.apple).rounded()) else {
      return nil
    }
    self.init(milliseconds: milliseconds)
  }

  /// The time in seconds since 2001.
  var absoluteTime: Double { (Double(milliseconds) - Self.apple) / 1000 }
}
