import CVaultCurl
import HTTPAuthentication
import SecureMemory
import VaultModel

/// One handle of libcurl, for one request, in one thread.
///
/// Safe: the pointers are this object's own, freed once in its `deinit`, and nobody else sees them.
@safe final class CurlTransfer {
  private let handle: UnsafeMutableRawPointer
  private let reader = CurlReader()
  private let request: CurlRequest
  private var serverFields: UnsafeMutablePointer<curl_slist>?
  private var proxyFields: UnsafeMutablePointer<curl_slist>?

  init(_ request: CurlRequest) throws {
    // Freed in `deinit`.
    guard let handle = unsafe curl_easy_init() else {
      throw CurlFailure(description: "libcurl gives no handle")
    }
    unsafe self.handle = handle
    self.request = request
    try describe()
  }

  deinit {
    // Made by libcurl in `init`, and the lists last, because the handle uses them.
    unsafe curl_easy_cleanup(handle)
    unsafe curl_slist_free_all(serverFields)
    unsafe curl_slist_free_all(proxyFields)
  }

  /// Sends the request.
  func run() throws -> CurlReply {
    // The reader lives as long as this object, and is used within the call.
    let status = withExtendedLifetime(reader) { unsafe curl_easy_perform(handle) }
    let connect = unsafe curl_get_long(handle, CURLINFO_HTTP_CONNECTCODE)
    // A tunnel that is refused is a failed transfer, but also a response.
    let isRefused = request.isTunnelled && connect >= 300
    guard status == CURLE_OK || isRefused, !reader.responses.isEmpty else {
      throw CurlFailure(description: unsafe String(cString: curl_easy_strerror(status)))
    }
    return CurlReply(
      responses: reader.responses, body: String(decoding: reader.body, as: UTF8.self))
  }

  // MARK: Describing the request

  private func describe() throws {
    try set(CURLOPT_URL, request.url)
    if request.method == "HEAD" {
      try set(CURLOPT_NOBODY, 1)
    } else {
      try set(CURLOPT_CUSTOMREQUEST, request.method)
    }
    // No signals in threads; and no test waits for ever.
    try set(CURLOPT_NOSIGNAL, 1)
    try set(CURLOPT_TIMEOUT, 30)
    // Always set, so that the environment has no effect.
    try set(CURLOPT_PROXY, request.proxy ?? "")
    try set(CURLOPT_NOPROXY, "")
    try set(CURLOPT_HTTPPROXYTUNNEL, request.isTunnelled ? 1 : 0)
    try set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
    for field in request.fields { append(field) }
    // The lists live as long as the handle.
    try unsafe require(curl_set_list(handle, CURLOPT_HTTPHEADER, serverFields))
    try unsafe require(curl_set_list(handle, CURLOPT_PROXYHEADER, proxyFields))
    if let login = request.login {
      try set(CURLOPT_HTTPAUTH, login, user: CURLOPT_USERNAME, password: CURLOPT_PASSWORD)
    }
    if let login = request.proxyLogin {
      try set(
        CURLOPT_PROXYAUTH, login, user: CURLOPT_PROXYUSERNAME, password: CURLOPT_PROXYPASSWORD)
    }
    // The callbacks are called within `run`, while the reader lives.
    let context = unsafe Unmanaged.passUnretained(reader).toOpaque()
    try unsafe require(curl_set_function(handle, CURLOPT_HEADERFUNCTION, CurlReader.readLine))
    try unsafe require(curl_set_context(handle, CURLOPT_HEADERDATA, context))
    try unsafe require(curl_set_function(handle, CURLOPT_WRITEFUNCTION, CurlReader.readBody))
    try unsafe require(curl_set_context(handle, CURLOPT_WRITEDATA, context))
  }

  private func set(_ option: CURLoption, _ value: Int) throws {
    try unsafe require(curl_set_long(handle, option, value))
  }

  private func set(_ option: CURLoption, _ value: String) throws {
    // curl copies the text.
    try unsafe require(curl_set_text(handle, option, value))
  }

  private func append(_ field: AuthorizationField) {
    // The list copies the line.
    unsafe field.value.withText(after: "\(field.name): ") { line in
      if field.name == "Authorization" {
        unsafe serverFields = curl_slist_append(serverFields, line)
      } else {
        unsafe proxyFields = curl_slist_append(proxyFields, line)
      }
    }
  }

  private func set(
    _ methods: CURLoption, _ login: CurlRequest.Login, user: CURLoption, password: CURLoption
  ) throws {
    try set(methods, login.method == .digest ? curl_auth_digest : curl_auth_basic)
    try set(user, login.credential.user)
    // curl copies the text.
    try unsafe require(
      login.credential.secret.withText { text in
        unsafe curl_set_text(handle, password, text)
      })
  }

  private func require(_ status: CURLcode) throws {
    guard status == CURLE_OK else {
      throw CurlFailure(description: unsafe String(cString: curl_easy_strerror(status)))
    }
  }
}

extension Secret {
  /// Calls `body` with a C string: a prefix that is not secret, then the bytes; it is wiped
  /// afterwards.
  fileprivate func withText<R>(
    after beginning: String = "", _ body: (UnsafePointer<CChar>) -> R
  ) -> R {
    var text: [CChar] = []
    text.reserveCapacity(beginning.utf8.count + count + 1)
    text.append(contentsOf: beginning.utf8.map(CChar.init(bitPattern:)))
    withRawBytes { bytes in
      for index in 0..<bytes.byteCount {
        // One byte within the span.
        unsafe text.append(bytes.unsafeLoad(fromByteOffset: index, as: CChar.self))
      }
    }
    text.append(0)
    // The characters are this function's own, and have not moved since the secret came in.
    defer { unsafe text.withUnsafeMutableBytes { unsafe wipe($0) } }
    return unsafe body(text)
  }
}
