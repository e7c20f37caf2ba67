import FoundationEssentials
import KeychainServices
import SecurityConstants
import SecureMemory
import VaultModel

/// A reference to a password, which stays valid when the password is changed or renamed.
public final class SecKeychainItem: Sendable {
  let reference: KeychainItemReference

  init(_ reference: KeychainItemReference) {
    self.reference = reference
  }
}

extension CFDictionary {
  /// Returns the values that the keychain's functions understand.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if a key is not a text.
  func keychainValues() throws(VaultError) -> [String: KeychainValue] {
    var values: [String: KeychainValue] = [:]
    values.reserveCapacity(count)
    for (key, value) in self {
      guard let key = key.base as? String else {
        throw VaultError(.invalidArgument, "a key that is not a text")
      }
      // The types that most values have are told apart without a cast, which takes longer.
      switch ObjectIdentifier(type(of: value)) {
      case ObjectIdentifier(String.self): values[key] = (value as? String).map { .text($0) }
      case ObjectIdentifier(Bool.self): values[key] = (value as? Bool).map { .flag($0) }
      default: values.take(value, for: key)
      }
    }
    return values
  }
}

extension [String: KeychainValue] {
  fileprivate mutating func take(_ value: Any, for key: String) {
    if key == kSecValueData, let data = value as? Data {
      self[key] = .secret(Secret(copying: data.span))
    } else if key == kSecAttrAccessControl, let control = value as? SecAccessControl {
      // Without conditions it is the same as the attribute for when an item can be read.
      self[control.flags.isEmpty ? kSecAttrAccessible : key] = .text(control.protection)
    } else {
      self[key] = KeychainValue(value)
    }
  }
}

extension KeychainValue {
  /// Converts a value of any type; also Foundation's objects, if the program uses them.
  init(_ value: Any) {
    self = Self.converted(value)
  }

  private static func converted(_ value: Any) -> KeychainValue {
    switch value {
    case let text as String: .text(text)
    case let data as Data: .data(Array(data))
    // Before the flags: a number of Foundation's is both if it is 0 or 1, and a number is a flag
    // where one is needed.
    case let number as Int: .number(Int64(number))
    case let flag as Bool: .flag(flag)
    case let number as any FixedWidthInteger:
      Int64(exactly: number).map { .number($0) } ?? .other
    case let date as Date: .date(Timestamp(date))
    case let item as SecKeychainItem: .item(item.reference)
    case let array as [Any]: .array(array.map { KeychainValue($0) })
    default: .other
    }
  }

  /// The value in Swift's types.
  ///
  /// A secret becomes `Data`, which Apple's interface demands: it is copied to ordinary memory,
  /// which is not wiped.
  var value: Any {
    switch self {
    case .text(let text): text
    case .data(let bytes): Data(bytes)
    // The bytes are read before the closure ends.
    case .secret(let secret):
      secret.withBytes { bytes in
        unsafe bytes.withUnsafeBufferPointer { unsafe Data(buffer: $0) }
      }
    case .number(let number): Int(number)
    case .flag(let flag): flag
    case .date(let date): Date(date)
    case .array(let values): Self.array(values)
    case .dictionary(let values): values.mapValues(\.value)
    case .item(let reference): SecKeychainItem(reference)
    case .vault, .access, .other: ()
    }
  }

  /// Returns an array of the one type that its elements have: `as? [[String: Any]]` and
  /// `as? [Data]` then convert nothing.
  private static func array(_ values: [KeychainValue]) -> Any {
    switch values.first {
    case .dictionary: values.map { $0.value as? [String: Any] ?? [:] }
    case .data, .secret: values.map { $0.value as? Data ?? Data() }
    default: values.map(\.value)
    }
  }
}

extension Timestamp {
  fileprivate init(_ date: Date) {
    let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
    self.init(milliseconds: Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max))
  }
}

extension Date {
  fileprivate init(_ time: Timestamp) {
    self.init(timeIntervalSince1970: Double(time.milliseconds) / 1000)
  }
}
