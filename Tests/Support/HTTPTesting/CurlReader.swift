import CCurl
import HTTPAuthentication

/// Collects the data that libcurl passes on while it runs.
final class CurlReader {
  private(set) var responses: [ResponseHead] = []
  private(set) var body: [UInt8] = []
  private var fields: [ResponseHead.Field] = []
  private var status = 0

  /// Reads a line of a response's head.
  static let readLine: curl_write_callback = { bytes, size, count, context in
    guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
    // libcurl calls with as many bytes as it says, and with the reader that lives until it returns.
    let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
    unsafe Unmanaged<CurlReader>.fromOpaque(context).takeUnretainedValue()
      .read(line: String(decoding: line, as: UTF8.self))
    return size * count
  }

  /// Reads a part of a body.
  static let readBody: curl_write_callback = { bytes, size, count, context in
    guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
    // As above.
    let part = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
    unsafe Unmanaged<CurlReader>.fromOpaque(context).takeUnretainedValue().body.append(
      contentsOf: part)
    return size * count
  }

  private func read(line: String) {
    let line = line.split(whereSeparator: \.isNewline).first ?? ""
    if line.isEmpty {
      responses.append(ResponseHead(status: status, fields: fields))
    } else if line.hasPrefix("HTTP/") {
      let words = line.split(separator: " ")
      status = words.count > 1 ? Int(words[1]) ?? 0 : 0
      fields = []
      body = []
    } else if let colon = line.firstIndex(of: ":") {
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      fields.append(ResponseHead.Field(String(line[..<colon]), String(value)))
    }
  }
}
