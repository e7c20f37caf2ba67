import SecureMemory
public import VaultModel

extension Certificate {
  /// Reads the certificates of a file: all of a PEM file in its order, or the one of a DER file.
  ///
  /// Other blocks of a PEM file, keys among them, are skipped.
  ///
  /// - Parameter file: The bytes of the file, 4 MiB at most.
  /// - Returns: No certificate if the file is text without any.
  /// - Throws: ``VaultError/Code/invalidData`` for one that is malformed;
  ///   ``VaultError/Code/tooLarge``.
  public static func all(in file: [UInt8]) throws(VaultError) -> [Certificate] {
    guard file.count <= 4 << 20 else {
      throw VaultError(.tooLarge, "certificates: longer than 4 MiB")
    }
    guard file.first != ASN1.sequence else { return [try Certificate(der: file)] }
    var certificates: [Certificate] = []
    for block in try PEMBlock.read(Secret(copying: file.span)) where block.isCertificate {
      certificates.append(try Certificate(der: block.content.public))
    }
    return certificates
  }
}
