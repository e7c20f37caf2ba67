import TLSCredentials
import VaultCommands
import VaultModel

extension Certificate {
  /// Its facts for people, each with a name.
  var facts: [(name: String, value: String)] {
    var facts = [
      ("issuer", "\(issuer)"), ("serial", String(hexadecimal: serialNumber)),
      ("valid", "\(notBefore.seconds) to \(notAfter.seconds)"), ("key", "\(keyAlgorithm)"),
    ]
    if !names.isEmpty { facts.append(("names", names.map(\.text).joined(separator: ", "))) }
    return facts + [("SHA-256", "\(fingerprint)"), ("pin", publicKeyHash.pin)]
  }
}

extension SubjectName {
  /// The name alone.
  var text: String {
    switch self {
    case .host(let text), .address(let text), .email(let text), .uri(let text): text
    }
  }
}

extension Fingerprint {
  /// The hash of a key as curl takes it.
  var pin: String { "sha256//\(base64)" }

  /// Returns whether a text is the fingerprint, or begins it: hexadecimal digits, with colons or
  /// without.
  ///
  /// - Parameters:
  ///   - text: The digits.
  ///   - minimum: The number of digits that are enough.
  /// - Returns: False if the digits are too few, or others.
  func isNamed(by text: String, minimum: Int) -> Bool {
    let digits = text.filter { $0 != ":" }.lowercased()
    return digits.utf8.count >= minimum && String(hexadecimal: bytes).hasPrefix(digits)
  }
}

extension Timestamp {
  /// The time in whole seconds, as certificates have it.
  var seconds: String { Timestamp(milliseconds: milliseconds / 1000 * 1000).rfc3339 }
}

extension JSONWriter {
  /// Writes an array of certificates.
  mutating func field(_ name: String, _ certificates: [Certificate]) throws(VaultError) {
    try array(name, certificates) { (certificate, json) throws(VaultError) in
      try json.value(certificate)
    }
  }

  private mutating func value(_ certificate: Certificate) throws(VaultError) {
    try object { (json) throws(VaultError) in
      try json.field("subject", "\(certificate.subject)")
      try json.field("issuer", "\(certificate.issuer)")
      try json.field("serial", String(hexadecimal: certificate.serialNumber))
      try json.field("not_before", certificate.notBefore.seconds)
      try json.field("not_after", certificate.notAfter.seconds)
      try json.field("key", "\(certificate.keyAlgorithm)")
      try json.field("names", certificate.names.map(\.text))
      try json.field("fingerprint", "\(certificate.fingerprint)")
      try json.field("pin", certificate.publicKeyHash.pin)
    }
  }
}
