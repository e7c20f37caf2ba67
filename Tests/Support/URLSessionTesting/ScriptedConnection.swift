import Foundation
import Glibc

/// One connection of a scripted server, used by one thread.
///
/// Input other than HTTP/1.1 ends it: it is for clients that are known to speak it.
final class ScriptedConnection {
  private let descriptor: Int32
  private let number: Int
  private var buffer: [UInt8] = []

  init(_ descriptor: Int32, _ number: Int) {
    self.descriptor = descriptor
    self.number = number
  }

  // MARK: Reading

  /// Reads a request; nil at the end of the connection.
  func read() -> ScriptedRequest? {
    guard let first = line() else { return nil }
    let words = first.split(separator: " ").map(String.init)
    guard words.count == 3 else { return nil }
    var fields: [(name: String, value: String)] = []
    while let line = line() {
      guard !line.isEmpty else { return request(words, fields) }
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { return nil }
      fields.append((String(parts[0]), parts[1].trimmingCharacters(in: .whitespaces)))
    }
    return nil
  }

  private func request(
    _ words: [String], _ fields: [(name: String, value: String)]
  ) -> ScriptedRequest? {
    func value(_ name: String) -> String? { fields.first { $0.name.lowercased() == name }?.value }
    if value("expect")?.lowercased() == "100-continue" {
      guard send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) else { return nil }
    }
    let isChunked = value("transfer-encoding")?.lowercased() == "chunked"
    let length = value("content-length").map { Int($0) ?? -1 } ?? 0
    guard let body = isChunked ? chunks() : bytes(length) else { return nil }
    return ScriptedRequest(
      method: words[0], target: words[1], fields: fields, body: body, connection: number)
  }

  /// Reads a chunked body, without trailers.
  private func chunks() -> [UInt8]? {
    var body: [UInt8] = []
    while let size = line() {
      guard let count = Int(size.prefix { $0 != ";" }, radix: 16), let chunk = bytes(count),
        line() != nil
      else { return nil }
      guard count > 0 else { return body }
      body += chunk
    }
    return nil
  }

  /// Reads a line without its end; nil at the end of the connection.
  private func line() -> String? {
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: buffer[..<end], as: UTF8.self)
        buffer.removeSubrange(...end)
        return line.hasSuffix("\r") ? String(line.dropLast()) : line
      }
      guard fill() else { return nil }
    }
  }

  private func bytes(_ count: Int) -> [UInt8]? {
    guard count >= 0 else { return nil }
    while buffer.count < count { guard fill() else { return nil } }
    defer { buffer.removeFirst(count) }
    return Array(buffer.prefix(count))
  }

  private func fill() -> Bool {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      // At most as many bytes as the array has.
      let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      buffer += bytes[..<count]
      return true
    }
  }

  // MARK: Writing

  /// Writes a response.
  ///
  /// - Returns: Whether the connection can be used again.
  func write(_ response: ScriptedResponse, to request: ScriptedRequest) -> Bool {
    guard !response.isDropped else { return false }
    var head = "HTTP/1.1 \(response.status) Scripted\r\n"
    for field in response.fields { head += "\(field.name): \(field.value)\r\n" }
    let hasBody = response.status >= 200 && ![204, 304].contains(response.status)
    let length = response.body.count + (response.breaksOff ? 1 : 0)
    if hasBody { head += "Content-Length: \(length)\r\n" }
    if response.closes { head += "Connection: close\r\n" }
    let body = hasBody && request.method != "HEAD" ? response.body : []
    return send(Array((head + "\r\n").utf8) + body) && !response.breaksOff
  }

  private func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      // The rest of the array. A client that went away raises no signal.
      let count = unsafe bytes[sent...].withUnsafeBytes {
        unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }
}
