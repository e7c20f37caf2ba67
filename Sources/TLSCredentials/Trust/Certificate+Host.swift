import CCrypto
public import VaultModel

extension Certificate {
  /// Returns whether the certificate is for a host (RFC 6125, RFC 9525): by its alternative names,
  /// of which a wildcard stands for one whole label.
  ///
  /// - Parameters:
  ///   - host: A name or an IP address.
  ///   - allowsCommonName: Whether the subject's common name counts if there is no host among the
  ///     alternative names.
  /// - Returns: True if one of its names is the host's.
  public func isFor(_ host: HostName, allowsCommonName: Bool = false) -> Bool {
    // libcrypto takes a leading dot for all names below, and no host has one.
    guard !host.isUnset, host.name.first != "." else { return false }
    if host.isIPAddress {
      // A zone is this machine's own name for an interface.
      let address = host.name.prefix { $0 != "%" }
      // The certificate lives during the call, and the text is a C string for it.
      return unsafe X509_check_ip_asc(parsed.pointer, String(address), 0) == 1
    }
    var flags = UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS)
    if !allowsCommonName { flags |= UInt32(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT) }
    // As above; the length is that of the text.
    return unsafe X509_check_host(
      parsed.pointer, host.name, host.name.utf8.count, flags, nil) == 1
  }
}
