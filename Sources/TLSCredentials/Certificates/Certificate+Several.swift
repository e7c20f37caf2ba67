import SecureMemory
package import VaultModel

extension Certificate {
  /// Reads certificates that are encoded one after the other.
  ///
  /// - Parameter der: At least one certificate.
  /// - Returns: The certificates in their order.
  /// - Throws: ``VaultError/Code/invalidData`` if one is malformed, or if there is none.
  package static func several(der: [UInt8]) throws(VaultError) -> [Certificate] {
    var reader = ASN1Reader(Secret(copying: der.span), .der)
    var certificates: [Certificate] = []
    do throws(VaultError) {
      repeat {
        certificates.append(try Certificate(der: try reader.next(ASN1.sequence).encoding))
      } while !reader.isAtEnd
    } catch {
      throw error.code == .invalidData ? VaultError(.invalidData, "certificate: malformed") : error
    }
    return certificates
  }
}
