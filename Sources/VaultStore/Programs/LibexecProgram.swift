import Glibc

/// A program of this product that another one starts.
///
/// Never one of the PATH, where anybody may have put it.
package enum LibexecProgram {
  /// Returns the path of a program: beside this program's own file, in `../libexec` from there, or
  /// where packages put it; nil if it is nowhere.
  package static func path(of name: String) -> String? {
    let own = ownFolder().map { folder in ["\(folder)\(name)", "\(folder)../libexec/\(name)"] }
    let places = (own ?? []) + ["/usr/local/libexec/\(name)", "/usr/libexec/\(name)"]
    // The path is a C string during the call.
    return places.first { unsafe access($0, X_OK) == 0 }
  }

  /// Returns the folder of this program's own file, with a slash at its end.
  private static func ownFolder() -> Substring? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    // It writes no more than there is room for; a literal, which ends with NUL.
    let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
    guard count > 0, count < buffer.count else { return nil }
    let own = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return own.lastIndex(of: "/").map { own[...$0] }
  }
}
