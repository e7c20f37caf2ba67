import Glibc

/// Returns the most memory that this process has had at once, in KiB.
///
/// Not by getrusage(2), whose figure a program takes over from the one that started it.
func peakMemory() throws -> Int {
  guard let kilobytes = Int(try processStatus("VmHWM").filter(\.isNumber)) else {
    throw Failure("no peak of memory")
  }
  return kilobytes
}

/// Returns a field of what the kernel says of this process, without blanks around it.
func processStatus(_ field: String) throws -> Substring {
  guard let file = unsafe fopen("/proc/self/status", "r") else { throw Failure("no status") }
  // The stream is open until the end of this function.
  defer { unsafe fclose(file) }
  var bytes = [UInt8](repeating: 0, count: 8192)
  // The buffer has as many bytes as are read.
  let count = unsafe fread(&bytes, 1, bytes.count, file)
  let lines = String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n")
  guard let line = lines.first(where: { $0.hasPrefix("\(field):") }) else {
    throw Failure("no \(field)")
  }
  return line.dropFirst(field.utf8.count + 1).drop(while: \.isWhitespace)
}
