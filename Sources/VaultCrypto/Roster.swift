import VaultModel

/// The admin keys of a vault, and the signature of an epoch's machines by the present one.
///
/// Anybody who has the vault's key could add slots, and wrap a false key for every machine. The
/// slots that are signed hold the wraps, so a machine follows to no key but one that an admin gave
/// it.
/// Source: `Documentation/format.md` §4.4.
package struct Roster: Equatable, Sendable {
  package let admins: AdminChain
  private let signature: [UInt8]

  /// Signs the machines of an epoch, in ascending order of id.
  ///
  /// - Parameters:
  ///   - machines: The rows of the machines' slots.
  ///   - ident: The vault and the epoch.
  ///   - signer: The present admin key's secret half.
  ///   - admins: The admin keys.
  package init(
    signing machines: [(id: UInt32, body: [UInt8])], of ident: Ident, by signer: AdminSecret,
    as admins: AdminChain
  ) {
    precondition(signer.key == admins.present)
    self.admins = admins
    signature = signer.sign(Self.message(machines, ident, admins))
  }

  /// Reads a roster; nil for a wrong number of bytes.
  package init?(decoding bytes: [UInt8]) {
    guard let admins = AdminChain(decoding: bytes.dropLast(Curve.signatureSize)) else { return nil }
    self.admins = admins
    signature = Array(bytes.suffix(Curve.signatureSize))
  }

  package var encoded: [UInt8] { admins.encoded + signature }

  /// Returns whether each admin key signed the next, and the present one these machines, in
  /// ascending order of id.
  package func isValid(_ machines: [(id: UInt32, body: [UInt8])], of ident: Ident) -> Bool {
    admins.isValid(of: ident)
      && Curve.isSigned(
        Self.message(machines, ident, admins), signature, by: admins.present.bytes)
  }

  private static func message(
    _ machines: [(id: UInt32, body: [UInt8])], _ ident: Ident, _ admins: AdminChain
  ) -> [UInt8] {
    var slots: [UInt8] = []
    for machine in machines {
      machine.id.appendLittleEndian(to: &slots)
      UInt32(machine.body.count).appendLittleEndian(to: &slots)
      slots += machine.body
    }
    var message = Array("vltrost1".utf8) + ident.vaultID.bytes
    ident.epoch.appendLittleEndian(to: &message)
    return message + Hash.hash(admins.encoded, count: 32) + Hash.hash(slots, count: 32)
  }
}
