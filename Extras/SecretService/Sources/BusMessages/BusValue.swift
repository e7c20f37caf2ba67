package import SecureMemory

/// A value in a message of D-Bus: the types that the Secret Service uses.
///
/// An array of bytes is a ``Secret``, always: it may be one, and nothing else is carried in bytes.
package indirect enum BusValue: Sendable {
  case text(String)
  case path(String)
  case flag(Bool)
  case number(UInt64)
  case status(UInt32)
  case bytes(Secret)
  /// An array, with the signature of an element.
  case list(String, [BusValue])
  /// An array of entries, with the signature of the values; the keys are `key`'s type.
  case dictionary(key: String, value: String, [(BusValue, BusValue)])
  case structure([BusValue])
  case variant(BusValue)
  /// A file descriptor, which belongs to the message.
  case descriptor(Int32)

  /// The signature of the value's type.
  ///
  /// Source: D-Bus specification, "Type System".
  package var signature: String {
    switch self {
    case .text: "s"
    case .path: "o"
    case .flag: "b"
    case .number: "t"
    case .status: "u"
    case .bytes: "ay"
    case .list(let element, _): "a" + element
    case .dictionary(let key, let value, _): "a{\(key)\(value)}"
    case .structure(let fields): "(\(fields.map(\.signature).joined()))"
    case .variant: "v"
    case .descriptor: "h"
    }
  }

  /// Whether bytes are in it, so that the message is wiped.
  package var holdsBytes: Bool {
    switch self {
    case .bytes: true
    case .list(let element, _): element.contains("y")
    case .dictionary(_, let value, _): value.contains("y")
    case .structure(let fields): fields.contains(where: \.holdsBytes)
    case .variant(let value): value.holdsBytes
    case .text, .path, .flag, .number, .status, .descriptor: false
    }
  }
}

extension BusValue {
  package static func paths(_ paths: [String]) -> BusValue { .list("o", paths.map(BusValue.path)) }

  package static func texts(_ texts: [String: String]) -> BusValue {
    .dictionary(
      key: "s", value: "s",
      texts.sorted { $0.key < $1.key }.map { (.text($0.key), .text($0.value)) })
  }

  package static func variants(_ values: [(String, BusValue)]) -> BusValue {
    .dictionary(key: "s", value: "v", values.map { (.text($0.0), .variant($0.1)) })
  }

  package var text: String? { if case .text(let text) = self { text } else { nil } }

  package var path: String? { if case .path(let path) = self { path } else { nil } }

  package var flag: Bool? { if case .flag(let flag) = self { flag } else { nil } }

  package var bytes: Secret? { if case .bytes(let bytes) = self { bytes } else { nil } }

  package var fields: [BusValue]? { if case .structure(let fields) = self { fields } else { nil } }

  /// The paths of an array; nil for anything else.
  package var paths: [String]? {
    guard case .list("o", let values) = self else { return nil }
    return values.compactMap(\.path)
  }

  /// The texts of a dictionary; nil for anything else.
  package var texts: [String: String]? {
    guard case .dictionary("s", "s", let entries) = self else { return nil }
    return entries.reduce(into: [:]) { texts, entry in
      if let name = entry.0.text { texts[name] = entry.1.text }
    }
  }

  /// The values of a dictionary of variants; nil for anything else.
  package var variants: [String: BusValue]? {
    guard case .dictionary("s", "v", let entries) = self else { return nil }
    return entries.reduce(into: [:]) { values, entry in
      if let name = entry.0.text, case .variant(let value) = entry.1 { values[name] = value }
    }
  }
}
