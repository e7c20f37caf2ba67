import CVaultText
import VaultModel

extension ItemText {
  /// Returns a host as people write it: its A-labels as Unicode, if that is the same host again.
  ///
  /// - Source: RFC 5891 §5.2.
  static func shown(_ host: HostName) -> String {
    guard host.name.contains("xn--") else { return host.name }
    var text: UnsafeMutablePointer<CChar>?
    // A C string during the call, which makes another that is freed once.
    let status = unsafe idn2_to_unicode_8z8z(host.name, &text, 0)
    defer { unsafe idn2_free(text) }
    guard status == IDN2_OK.rawValue, let text = unsafe text,
      let shown = unsafe String(validatingCString: text)
    else { return host.name }
    do throws(VaultError) {
      return try HostName(shown) == host ? shown : host.name
    } catch {
      return host.name
    }
  }
}
