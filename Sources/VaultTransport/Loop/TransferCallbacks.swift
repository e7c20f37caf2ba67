import CVaultCurl
import CVaultLibssl

/// The functions that libcurl calls, on the loop's thread.
enum TransferCallbacks {
  /// Returns the transfer of a context, which the partition keeps while its handle is in use.
  private static func transfer(_ context: UnsafeMutableRawPointer?) -> Transfer? {
    // As above.
    unsafe context.map { unsafe Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
  }

  /// For `CURLOPT_HEADERFUNCTION`.
  static let line: curl_write_callback = { bytes, _, count, context in
    guard let transfer = unsafe transfer(context), let handle = unsafe transfer.handle else {
      return 0
    }
    // libcurl's bytes are valid during the call.
    unsafe transfer.read(line: UnsafeRawBufferPointer(start: bytes, count: count), handle)
    return count
  }

  /// For `CURLOPT_WRITEFUNCTION`.
  static let body: curl_write_callback = { bytes, _, count, context in
    guard let transfer = unsafe transfer(context) else { return 0 }
    // As above.
    let isTaken = unsafe transfer.read(body: UnsafeRawBufferPointer(start: bytes, count: count))
    return isTaken ? count : curl_write_pause
  }

  /// For `CURLOPT_READFUNCTION`.
  static let send: curl_write_callback = { bytes, size, count, context in
    guard let transfer = unsafe transfer(context) else { return curl_read_abort }
    // As above: libcurl's buffer has as many bytes.
    return unsafe transfer.write(
      body: UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
  }

  /// For `CURLOPT_SEEKFUNCTION`: libcurl only goes back to the beginning.
  static let rewind: curl_seek_callback = { context, offset, origin in
    guard let transfer = unsafe transfer(context), offset == 0, origin == 0 else {
      return CURL_SEEKFUNC_FAIL
    }
    transfer.rewind()
    return CURL_SEEKFUNC_OK
  }

  /// For `CURLOPT_SSL_CTX_FUNCTION`, which is called for a proxy with TLS too.
  static let secure: curl_ssl_ctx_callback = { _, tls, context in
    guard let transfer = unsafe transfer(context), let tls = unsafe tls else {
      return CURLE_SSL_CERTPROBLEM
    }
    let route = transfer.attempt.route
    // libcurl's context for a new connection.
    let settings = OpaquePointer(tls)
    let isMarked = unsafe vault_tls_newest_version(settings) == Int(TLS1_3_VERSION)
    let isProxy = isMarked && route.proxy?.side != nil
    guard let side = isProxy ? route.proxy?.side : route.side else { return CURLE_SSL_CERTPROBLEM }
    unsafe side.take(settings)
    return CURLE_OK
  }
}
