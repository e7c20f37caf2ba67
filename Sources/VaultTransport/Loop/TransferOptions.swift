import CVaultCurl
import HTTPAuthentication
import SecureMemory
import VaultModel

/// The options of one handle of libcurl.
///
/// Safe: the handle is the partition's, which outlives this value; libcurl copies the texts.
@safe struct TransferOptions: ~Copyable {
  private let handle: UnsafeMutableRawPointer
  private var failed = false

  init(_ handle: UnsafeMutableRawPointer) {
    unsafe self.handle = handle
  }

  /// Whether all options were set, for which only memory can lack.
  var isComplete: Bool { !failed }

  mutating func set(_ option: CURLoption, _ value: Int) {
    // As above.
    take(unsafe curl_set_long(handle, option, value))
  }

  mutating func set(_ option: CURLoption, _ value: String?) {
    // As above; nil is libcurl's "not set".
    guard let value else { return take(unsafe curl_set_text(handle, option, nil)) }
    take(unsafe curl_set_text(handle, option, value))
  }

  mutating func set(_ option: CURLoption, _ value: UnsafeMutablePointer<CChar>) {
    // The caller's memory outlives the transfer.
    take(unsafe curl_set_context(handle, option, value))
  }

  private mutating func take(_ code: CURLcode) { if code != CURLE_OK { failed = true } }

  // MARK: The request

  /// Describes a request to a handle; one that has sent another of the same shape knows the rest.
  mutating func describe(
    _ attempt: TransferAttempt, _ server: FieldLines, _ proxy: FieldLines, isNew: Bool
  ) {
    if isNew { describeShape(attempt) }
    set(CURLOPT_URL, attempt.url.withoutUserInfo.description)
    method(attempt)
    fields(attempt, server, proxy)
  }

  /// Forgets the request, and keeps its shape.
  mutating func forget() {
    set(CURLOPT_URL, nil)
    // Before the lists are freed.
    take(unsafe curl_set_list(handle, CURLOPT_HTTPHEADER, nil))
    take(unsafe curl_set_list(handle, CURLOPT_PROXYHEADER, nil))
    for option in [
      CURLOPT_ERRORBUFFER, CURLOPT_PRIVATE, CURLOPT_HEADERDATA, CURLOPT_WRITEDATA,
      CURLOPT_SSL_CTX_DATA,
    ] {
      take(unsafe curl_set_context(handle, option, nil))
    }
  }

  private mutating func describeShape(_ attempt: TransferAttempt) {
    set(CURLOPT_NOSIGNAL, 1)
    // A name that is still resolved does not hold up a cancellation, and with it all transfers.
    set(CURLOPT_QUICK_EXIT, 1)
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    // A Digest response is made from the path as it is.
    set(CURLOPT_PATH_AS_IS, 1)
    set(CURLOPT_HTTP_VERSION, version(attempt))
    // Refused while the handle has the buffer of an earlier stream of HTTP/2, which does as well.
    _ = unsafe curl_set_long(
      handle, CURLOPT_BUFFERSIZE, min(1 << 15, max(1 << 14, attempt.capacity)))
    limit(attempt.limits)
    if attempt.decodesContent { set(CURLOPT_ACCEPT_ENCODING, "") }
    set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
    route(attempt)
    callFunctions(attempt)
  }

  private func version(_ attempt: TransferAttempt) -> Int {
    Int(attempt.allowsHTTP2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1)
  }

  private mutating func limit(_ limits: TimeLimits) {
    // libcurl's 0 stands for its own default of five minutes, or for no limit.
    set(CURLOPT_CONNECTTIMEOUT_MS, Self.milliseconds(limits.connect ?? .seconds(1_000_000)))
    if let total = limits.total { set(CURLOPT_TIMEOUT_MS, Self.milliseconds(total)) }
  }

  private static func milliseconds(_ limit: Duration) -> Int {
    Int(clamping: max(1, min(limit.milliseconds, UInt64(Int32.max))))
  }

  private mutating func method(_ attempt: TransferAttempt) {
    if let body = attempt.body {
      set(CURLOPT_UPLOAD, 1)
      // As above; -1 for a length that is not known.
      take(unsafe curl_set_size(handle, CURLOPT_INFILESIZE_LARGE, curl_off_t(body.length ?? -1)))
      set(CURLOPT_CUSTOMREQUEST, attempt.method)
    } else if attempt.method == "HEAD" {
      set(CURLOPT_NOBODY, 1)
    } else if attempt.method != "GET" {
      set(CURLOPT_CUSTOMREQUEST, attempt.method)
    }
  }

  private mutating func fields(
    _ attempt: TransferAttempt, _ server: FieldLines, _ proxy: FieldLines
  ) {
    for field in attempt.fields { server.append(field) }
    for field in attempt.proxyFields { proxy.append(field) }
    for field in attempt.authorization {
      if field.isProxy { proxy.append(field) } else { server.append(field) }
    }
    // Whoever is logged in already need not ask before sending the body.
    if attempt.body != nil, !attempt.authorization.isEmpty { server.remove("Expect") }
    // The lists live as long as the handle is in use.
    take(unsafe curl_set_list(handle, CURLOPT_HTTPHEADER, server.pointer))
    take(unsafe curl_set_list(handle, CURLOPT_PROXYHEADER, proxy.pointer))
  }

  // MARK: The route

  private mutating func route(_ attempt: TransferAttempt) {
    // Always set, so that the environment has no effect.
    set(CURLOPT_NOPROXY, "")
    if attempt.route.side != nil {
      // One connection may carry the requests that begin together.
      set(CURLOPT_PIPEWAIT, attempt.allowsHTTP2 ? 1 : 0)
      judge(verify: CURLOPT_SSL_VERIFYPEER, host: CURLOPT_SSL_VERIFYHOST)
      set(CURLOPT_CAINFO, nil)
      set(CURLOPT_CAPATH, nil)
    }
    guard let proxy = attempt.route.proxy else { return set(CURLOPT_PROXY, "") }
    set(CURLOPT_PROXY, proxy.host.urlText)
    set(CURLOPT_PROXYPORT, Int(proxy.port))
    set(CURLOPT_PROXYTYPE, Int(proxy.kind.number.rawValue))
    if proxy.isTunnelled(to: attempt.route.origin) { set(CURLOPT_HTTPPROXYTUNNEL, 1) }
    if proxy.side != nil {
      judge(verify: CURLOPT_PROXY_SSL_VERIFYPEER, host: CURLOPT_PROXY_SSL_VERIFYHOST)
      set(CURLOPT_PROXY_CAINFO, nil)
      set(CURLOPT_PROXY_CAPATH, nil)
      // A mark by which the callback tells the proxy's context from the server's.
      set(
        CURLOPT_PROXY_SSLVERSION,
        Int(CURL_SSLVERSION_TLSv1_2) | Int(CURL_SSLVERSION_MAX_TLSv1_3))
    }
    if let credential = attempt.socksCredential {
      set(CURLOPT_PROXYUSERNAME, credential.user)
      set(CURLOPT_PROXYPASSWORD, credential.secret)
    }
  }

  /// Has the peer judged by the callbacks, which also compare the host.
  ///
  /// Without anchors, libcurl would trust nobody if they were not called.
  private mutating func judge(verify: CURLoption, host: CURLoption) {
    set(verify, 1)
    set(host, 0)
  }

  private mutating func set(_ option: CURLoption, _ secret: Secret) {
    var text = [CChar](repeating: 0, count: secret.count + 1)
    // The characters are this function's own.
    defer { unsafe text.withUnsafeMutableBytes { unsafe wipe($0) } }
    secret.withBytes { bytes in
      for index in bytes.indices { text[index] = CChar(bitPattern: bytes[index]) }
    }
    take(unsafe curl_set_text(handle, option, text))
  }

  // MARK: Callbacks

  /// Has libcurl call a transfer.
  mutating func call(_ transfer: Transfer) {
    // The partition keeps the transfer until it has removed the handle.
    let context = unsafe Unmanaged.passUnretained(transfer).toOpaque()
    unsafe take(curl_set_context(handle, CURLOPT_PRIVATE, context))
    unsafe take(curl_set_context(handle, CURLOPT_HEADERDATA, context))
    unsafe take(curl_set_context(handle, CURLOPT_WRITEDATA, context))
    if transfer.attempt.body != nil {
      unsafe take(curl_set_context(handle, CURLOPT_READDATA, context))
      unsafe take(curl_set_context(handle, CURLOPT_SEEKDATA, context))
    }
    if transfer.attempt.route.hasTLS {
      unsafe take(curl_set_context(handle, CURLOPT_SSL_CTX_DATA, context))
    }
  }

  private mutating func callFunctions(_ attempt: TransferAttempt) {
    unsafe take(curl_set_function(handle, CURLOPT_HEADERFUNCTION, TransferCallbacks.line))
    unsafe take(curl_set_function(handle, CURLOPT_WRITEFUNCTION, TransferCallbacks.body))
    if attempt.body != nil {
      unsafe take(curl_set_function(handle, CURLOPT_READFUNCTION, TransferCallbacks.send))
      unsafe take(curl_set_seek_function(handle, TransferCallbacks.rewind))
    }
    if attempt.route.hasTLS {
      unsafe take(curl_set_tls_function(handle, TransferCallbacks.secure))
    }
  }
}

extension ProxyServer.Kind {
  fileprivate var number: curl_proxytype {
    switch self {
    case .http: CURLPROXY_HTTP
    case .https: CURLPROXY_HTTPS
    case .socks4: CURLPROXY_SOCKS4
    case .socks4a: CURLPROXY_SOCKS4A
    case .socks5: CURLPROXY_SOCKS5
    case .socks5h: CURLPROXY_SOCKS5_HOSTNAME
    }
  }
}
