import CVaultText
import VaultModel

extension ItemText {
  /// Returns a host as people write it: its A-labels as Unicode, if that is the same host again and
  /// cannot be read as another.
  ///
  /// - Source: RFC 5891 §5.2; RFC 5890 §4.4.
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
      guard try HostName(shown) == host else { return host.name }
      return shown.split(separator: ".").contains(where: isMixed) ? host.name : shown
    } catch {
      return host.name
    }
  }

  /// Returns whether a label has Latin letters beside those of a script with letters that look like
  /// them, such as Greek, Cyrillic, Cherokee and Lisu, or beside phonetic ones.
  private static func isMixed(_ label: Substring) -> Bool {
    let letters = label.unicodeScalars.filter { $0.properties.isAlphabetic }.map(\.value)
    return letters.contains { $0 < 0x250 || 0x1E00...0x1EFF ~= $0 }
      && letters.contains { 0x250...0x1DFF ~= $0 || 0xA4D0...0xABFF ~= $0 }
  }
}
