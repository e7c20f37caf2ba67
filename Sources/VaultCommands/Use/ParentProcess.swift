import Glibc

/// The process that started this one, as the kernel knows it.
struct ParentProcess {
  /// The last part of the path of its program, links resolved: `python3` for a script.
  let program: String
  /// The command line that it was started with, its name first.
  let arguments: [String]
  /// A path by which its program can be started.
  let executable: String

  /// The longest command line that is read.
  private static let longest = 1 << 20

  /// Reads it; nil if it is another user's, keeps its program secret, or has ended.
  init?() {
    let number = getppid()
    let folder = "/proc/\(number)"
    executable = "\(folder)/exe"
    var status = stat()
    // A C string during the call, and `status` is written whole.
    guard unsafe stat(folder, &status) == 0, status.st_uid == geteuid(),
      let path = Self.target(of: executable),
      let words = Self.content(of: "\(folder)/cmdline"),
      // Otherwise the number may be another's by now.
      getppid() == number
    else { return nil }
    program = path.split(separator: "/").last.map(String.init) ?? path
    arguments = words.split(separator: 0, omittingEmptySubsequences: false).dropLast().map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  private static func target(of link: String) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    // It writes no more than there is room for.
    let count = unsafe readlink(link, &buffer, buffer.count)
    guard count > 0, count < buffer.count else { return nil }
    return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func content(of path: String) -> [UInt8]? {
    // A C string during the call.
    guard let file = unsafe fopen(path, "re") else { return nil }
    defer { unsafe fclose(file) }
    var bytes = [UInt8](repeating: 0, count: longest)
    // The buffer has as many bytes as are read at most.
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    return count > 0 && count < longest ? Array(bytes.prefix(count)) : nil
  }
}
