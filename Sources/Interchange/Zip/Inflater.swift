import CVaultFormats
import Glibc
import SecureMemory
import VaultModel

/// Decompresses deflate's data (RFC 1951) with zlib, whose memory is wiped when it is freed.
///
/// `@safe`: the stream is this object's alone, at one address until `deinit`, and its pointers to
/// input and output are only valid, and only used, during a call.
@safe
final class Inflater {
  private let stream: UnsafeMutablePointer<z_stream>
  private(set) var hasEnded = false

  /// - Throws: ``VaultError/Code/outOfMemory``.
  init() throws(VaultError) {
    // The structure is initialized before zlib sees it, and stays at its address.
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    unsafe stream.pointee.zalloc = { _, count, size in
      let (bytes, isTooLarge) = Int(count).multipliedReportingOverflow(by: Int(size))
      return isTooLarge ? nil : unsafe calloc(1, bytes)
    }
    // zlib frees what it was given above, once.
    unsafe stream.pointee.zfree = { _, memory in unsafe wipeAndFree(memory) }
    guard unsafe vault_inflate_init(stream) == Z_OK else {
      unsafe stream.deallocate()
      throw VaultError(.outOfMemory, "no memory to decompress the file")
    }
    unsafe self.stream = stream
  }

  deinit {
    // Initialized in `init`; its memory is wiped by `zfree`.
    unsafe inflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// Decompresses as much as fits.
  ///
  /// - Parameters:
  ///   - input: The next compressed bytes.
  ///   - output: Memory for decompressed bytes, at least one.
  /// - Returns: The numbers of bytes that were read and written; both are 0 only if the input is
  ///   empty, or the data has ended.
  /// - Throws: ``VaultError/Code/invalidData`` for bytes that are not deflate's;
  ///   ``VaultError/Code/outOfMemory``.
  func inflate(
    _ input: RawSpan, into output: UnsafeMutableRawBufferPointer
  ) throws(VaultError) -> (read: Int, written: Int) {
    guard !hasEnded, let target = output.baseAddress else { return (0, 0) }
    let room = UInt32(clamping: output.count)
    let status = unsafe input.withUnsafeBytes { input in
      // zlib reads the input and does not write it; both buffers outlive the call, and are as long
      // as is said.
      unsafe stream.pointee.next_in = UnsafeMutablePointer(
        mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
      unsafe stream.pointee.avail_in = UInt32(clamping: input.count)
      unsafe stream.pointee.next_out = target.assumingMemoryBound(to: UInt8.self)
      unsafe stream.pointee.avail_out = room
      return unsafe CVaultFormats.inflate(stream, Z_NO_FLUSH)
    }
    // The counts that zlib left, which are at most those above.
    let read = unsafe input.byteCount - Int(stream.pointee.avail_in)
    let written = unsafe Int(room - stream.pointee.avail_out)
    switch status {
    case Z_STREAM_END: hasEnded = true
    case Z_OK, Z_BUF_ERROR: break
    case Z_MEM_ERROR: throw VaultError(.outOfMemory, "no memory to decompress the file")
    default: throw VaultError(.invalidData, "zip: the compressed data is damaged")
    }
    return (read, written)
  }
}

/// The CRC-32 of a zip file's member.
struct Checksum {
  private(set) var value: UInt32 = 0

  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    // The buffer is valid during the call, and as long as is said.
    value = unsafe UInt32(
      truncatingIfNeeded: crc32_z(
        UInt(value), bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count))
  }
}
