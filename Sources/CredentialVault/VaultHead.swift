import VaultCrypto
package import VaultModel
import VaultStore

extension Vault {
  /// Returns what replicas of one generation have in common: its number, and 16 bytes of a hash.
  ///
  /// The hash is that of the commit, which stands for everything before; of a vault that is not
  /// part of a fleet, that of the sealed head.
  ///
  /// - Throws: ``VaultError/Code/locked``; as any reading.
  package func headHash() throws(VaultError) -> (generation: UInt64, hash: [UInt8]) {
    let file = try requireFile()
    let information = try file.information()
    guard information.ident.isArbitrated else {
      return (information.generation, information.headHash)
    }
    let head = try file.headHash()
    return (head.generation, Array(head.hash.prefix(information.headHash.count)))
  }
}
