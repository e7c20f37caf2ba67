import Glibc
public import VaultModel

/// Reading and writing file descriptors to the end.
public enum Descriptor: Sendable {
  /// Writes all the bytes.
  ///
  /// - Throws: ``VaultError/Code/inputOutput`` with the system's error, for example if there is no
  ///   reader any more or the disk is full.
  public static func write(
    _ bytes: RawSpan, to descriptor: Int32
  ) throws(VaultError) {
    var offset = 0
    while offset < bytes.byteCount {
      // The rest of the span, which is valid during the call.
      let count = unsafe bytes.withUnsafeBytes { buffer in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[offset...])
        return unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
      }
      if count > 0 {
        offset += count
      } else if count == 0 || errno != EINTR {
        throw VaultError(.inputOutput, "cannot write", underlying: .errno(errno))
      }
    }
  }

  /// Writes all of a text in UTF-8, as the other form does its bytes.
  public static func write(_ text: String, to descriptor: Int32) throws(VaultError) {
    // Every bit pattern of UTF-8 is valid as raw bytes.
    try write(unsafe text.utf8.span.bytes, to: descriptor)
  }

  /// Reads until the buffer is full, the input ends, or the bytes so far are enough.
  ///
  /// Returns the number of bytes.
  ///
  /// - Throws: ``VaultError/Code/missingInput`` if the descriptor is not open for reading;
  ///   ``VaultError/Code/inputOutput`` if reading fails.
  package static func read(
    into buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32,
    until isEnough: (RawSpan) -> Bool = { _ in false }
  ) throws(VaultError) -> Int {
    var filled = 0
    while filled < buffer.count {
      // The rest of the buffer, which the caller keeps valid.
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      let count = unsafe Glibc.read(descriptor, rest.baseAddress, rest.count)
      if count > 0 {
        filled += count
        // The bytes read so far, below the buffer's count.
        let soFar = unsafe UnsafeRawBufferPointer(rebasing: buffer[..<filled])
        if isEnough(unsafe soFar.bytes) { break }
      } else if count == 0 {
        break
      } else if errno == EBADF {
        throw VaultError(.missingInput, "the descriptor is not open for reading")
      } else if errno != EINTR {
        throw VaultError(.inputOutput, "cannot read", underlying: .errno(errno))
      }
    }
    return filled
  }

  /// Waits until either of two descriptors can be read.
  ///
  /// - Returns: Whether the second can.
  /// - Throws: ``VaultError/Code/inputOutput`` if waiting fails.
  static func wait(for input: Int32, or signal: Int32) throws(VaultError) -> Bool {
    var events = [
      pollfd(fd: signal, events: Int16(POLLIN), revents: 0),
      pollfd(fd: input, events: Int16(POLLIN), revents: 0),
    ]
    // The array has two elements.
    while unsafe poll(&events, 2, -1) < 0 {
      guard errno == EINTR else {
        throw VaultError(.inputOutput, "the terminal", underlying: .errno(errno))
      }
    }
    return events[0].revents != 0
  }
}
