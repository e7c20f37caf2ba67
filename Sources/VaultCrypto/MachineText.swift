package import VaultModel

/// The lines in which public keys are passed between machines, and what people compare of them.
///
/// Source: `Documentation/format.md` §4.4.
package enum MachineText {
  private static let adminMagic = "vltadmn1"
  private static let joinMagic = "vltjoin1"
  private static let checksumSize = 8

  /// Returns the line of an admin key, for machines that are to join.
  package static func line(of admin: AdminKey) -> String {
    line(adminMagic, admin.bytes, "")
  }

  /// Returns the line with which a machine asks to be admitted.
  package static func line(of machine: MachineKey, name: String) -> String {
    line(joinMagic, machine.publicKey.bytes, name)
  }

  /// Reads the line of an admin key.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` if it is none, or mistyped.
  package static func admin(_ line: String) throws(VaultError) -> AdminKey {
    let read = try read(line)
    guard read.magic == adminMagic, read.name.isEmpty else { throw notOne }
    return AdminKey(read.key)
  }

  /// Reads the line of a machine that asks to be admitted.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` if it is none, or mistyped.
  package static func machine(
    _ line: String
  ) throws(VaultError) -> (publicKey: MachinePublicKey, name: String) {
    let read = try read(line)
    guard read.magic == joinMagic, !read.name.isEmpty else { throw notOne }
    return (MachinePublicKey(read.key[...]), read.name)
  }

  /// Returns what people compare of either line: eight groups of five digits.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` if it is none, or mistyped.
  package static func fingerprint(of line: String) throws(VaultError) -> String {
    let read = try read(line)
    return fingerprint(read.magic, read.key, read.name)
  }

  /// Returns the fingerprint of a machine: of its public keys and its name.
  package static func fingerprint(of machine: MachinePublicKey, name: String) -> String {
    fingerprint(joinMagic, machine.bytes, name)
  }

  private static func fingerprint(_ magic: String, _ key: [UInt8], _ name: String) -> String {
    let hash = Hash.hash(Array(magic.utf8) + key + Array(name.utf8), count: 16)
    return stride(from: 0, to: 16, by: 2).map { offset in
      let digits = String(Int(hash[offset]) << 8 | Int(hash[offset + 1]))
      return String(repeating: "0", count: 5 - digits.utf8.count) + digits
    }.joined(separator: " ")
  }

  private static func line(_ magic: String, _ key: [UInt8], _ name: String) -> String {
    let digits = String(hexadecimal: key + checksum(magic, key, name))
    return "\(magic)-\(digits)" + (name.isEmpty ? "" : "-\(name)")
  }

  private static func read(
    _ line: String
  ) throws(VaultError) -> (magic: String, key: [UInt8], name: String) {
    let parts = line.split(separator: "-", maxSplits: 2, omittingEmptySubsequences: false)
    let keySize = parts[0] == joinMagic ? MachinePublicKey.byteCount : Curve.keySize
    guard parts.count > 1, let bytes = [UInt8](hexadecimal: parts[1]),
      bytes.count == keySize + checksumSize
    else { throw notOne }
    let (magic, name) = (String(parts[0]), parts.count > 2 ? String(parts[2]) : "")
    let key = Array(bytes[..<keySize])
    guard bytes[keySize...].elementsEqual(checksum(magic, key, name)) else { throw notOne }
    return (magic, key, name)
  }

  private static func checksum(_ magic: String, _ key: [UInt8], _ name: String) -> [UInt8] {
    Hash.checksum(Array(magic.utf8) + key + Array(name.utf8))
  }

  private static var notOne: VaultError {
    VaultError(.invalidData, "not the line of a machine or an admin key, or mistyped")
  }
}
