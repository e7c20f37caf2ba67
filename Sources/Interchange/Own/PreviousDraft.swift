import SecureMemory
import VaultModel

/// A previous secret of the export while it is read.
struct PreviousDraft {
  private var (set, replaced) = (Timestamp?.none, Timestamp?.none)
  private var expires: Timestamp?
  private var kind = SecretKind.password
  private var certificates: [UInt8] = []
  private var value: Secret?
  private var problem: VaultError?

  /// Reads the object; a fault of a value is thrown by ``secret()``.
  mutating func read(_ json: JSONReader) throws(VaultError) {
    try json.beginObject()
    while let name = try json.nextName() {
      switch name {
      case ExportDocument.set: set = try time(json)
      case ExportDocument.replaced: replaced = try time(json)
      case Attribute.expires.json: expires = try time(json)
      case Attribute.secretKind.json:
        guard let read = try json.secretKindIfAny() else {
          reject()
          continue
        }
        kind = read
      case Attribute.certificates.json: try readCertificates(json)
      case Attribute.secret.json: try readSecret(json, isBase64: false)
      case Attribute.secret.json + ExportDocument.base64Suffix:
        try readSecret(json, isBase64: true)
      default:
        reject()
        try json.skip()
      }
    }
  }

  /// Returns the previous secret, of no item yet.
  ///
  /// Times in the future count as now, so that no secret outlives its policy.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` if something is wrong, or missing.
  func secret() throws(VaultError) -> PreviousSecret {
    if let problem { throw problem }
    guard let set, let replaced, let value else {
      throw VaultError(.invalidData, "no time or no password")
    }
    let now = Timestamp.now()
    return PreviousSecret(
      id: PreviousSecret.ID(item: .unset, replaced: min(replaced, now)), kind: kind,
      set: min(set, replaced, now), expires: expires, keptUntil: nil,
      certificates: certificates, secret: value)
  }

  private mutating func readCertificates(_ json: JSONReader) throws(VaultError) {
    guard let text = try json.secretIfString(), certificates.isEmpty else { return reject() }
    do throws(VaultError) {
      certificates = try Base64.decode(text).withRawBytes { Bytes.array($0) }
    } catch {
      reject()
    }
    guard certificates.count <= Attribute.certificates.longest else { return reject() }
  }

  private mutating func readSecret(_ json: JSONReader, isBase64: Bool) throws(VaultError) {
    guard let read = try json.secretIfString(), value == nil else { return reject() }
    do throws(VaultError) {
      value = isBase64 ? try Base64.decode(read) : read
    } catch {
      reject()
    }
    guard value?.count ?? 0 <= InterchangeLimit.secret else { return reject() }
  }

  private mutating func time(_ json: JSONReader) throws(VaultError) -> Timestamp? {
    guard let text = try json.textIfString() else {
      reject()
      return nil
    }
    do throws(VaultError) {
      return try Timestamp(rfc3339: text)
    } catch {
      reject()
      return nil
    }
  }

  private mutating func reject() {
    problem = problem ?? VaultError(.invalidData, "a value or a member that it does not have")
  }
}

extension JSONReader {
  /// Takes the kind of a secret, by its name or its number; nil if the value is anything else.
  func secretKindIfAny() throws(VaultError) -> SecretKind? {
    let number: UInt8?
    if try kind() == .number {
      number = try wholeNumber().flatMap { UInt8(exactly: $0) }
    } else {
      let name = try textIfString()
      number = ExportDocument.secretKinds.firstIndex { $0 == name }.map { UInt8($0) }
    }
    return number.map { SecretKind(rawValue: $0) }
  }
}
