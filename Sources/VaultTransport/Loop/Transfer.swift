import CVaultCurl
import Glibc
import HTTPAuthentication
import SecureMemory
import VaultModel

/// One attempt at a request, from its start to the end of its response.
// Proof: `attempt` and `pipe` are set once and are Sendable; all else is touched by the loop's
// thread alone, from `start` until the transfer has ended, or never.
@safe final class Transfer: @unchecked Sendable {
  let attempt: TransferAttempt
  /// The response, for the task that waits for it.
  let pipe: BodyPipe

  /// Set while it is in one.
  unowned var partition: Partition?
  /// libcurl's handle while it runs, which the partition owns.
  private(set) var handle: UnsafeMutableRawPointer?
  /// Whether readers are to be woken.
  private(set) var hasNews = false
  /// Whether it went over HTTP/2.
  private(set) var isMultiplexed = false

  private var lines: (server: FieldLines, proxy: FieldLines)?
  private var words: UnsafeMutablePointer<CChar>?
  private var reader = HeadReader()
  private var tunnelHead: ResponseHead?
  private var progress = TransportProgress()
  private var lastActivity: UInt64 = 0
  private var isSendingPaused = false

  init(_ attempt: TransferAttempt) {
    self.attempt = attempt
    pipe = BodyPipe(capacity: attempt.capacity)
  }

  deinit {
    // Of this object alone.
    unsafe words?.deallocate()
  }

  var isEnded: Bool { pipe.hasEnded }

  // MARK: Beginning and ending

  /// Describes the request to a handle, which is new unless it has the shape of this request.
  ///
  /// - Returns: Whether there was memory.
  func prepare(_ handle: UnsafeMutableRawPointer, isNew: Bool) -> Bool {
    unsafe self.handle = handle
    lastActivity = Clock.now()
    progress.expectedToSend = attempt.body?.length ?? (attempt.body == nil ? 0 : nil)
    let lines = (server: FieldLines(), proxy: FieldLines())
    self.lines = lines
    // The size that libcurl asks for; it is freed with this object, which outlives the transfer.
    let words = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    unsafe words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    unsafe self.words = words
    var options = unsafe TransferOptions(handle)
    unsafe options.set(CURLOPT_ERRORBUFFER, words)
    options.describe(attempt, lines.server, lines.proxy, isNew: isNew)
    options.call(self)
    return options.isComplete && lines.server.isComplete && lines.proxy.isComplete
  }

  /// Forgets the handle.
  func release() {
    unsafe handle = nil
    lines = nil
    partition = nil
    attempt.body?.stop()
  }

  func end(_ failure: TransferFailure) { end(.failure(failure)) }

  func end(_ result: Result<Void, TransferFailure>) {
    attempt.body?.stop()
    attempt.place?.transferEnded()
    pipe.end(result)
  }

  /// Returns the result for a code of libcurl.
  func result(_ code: CURLcode, _ handle: UnsafeMutableRawPointer) -> Result<Void, TransferFailure>
  {
    guard code != CURLE_OK else { return .success(()) }
    if let error = attempt.body?.error { return .failure(TransferFailure(error)) }
    if let tunnelHead {
      let error = VaultError(
        .unavailable, "transport: the proxy refuses a tunnel with \(tunnelHead.status)",
        underlying: .errno(ECONNREFUSED))
      return .failure(TransferFailure(error, .tunnel(tunnelHead)))
    }
    // A C string that libcurl wrote into this object's memory.
    let text = unsafe words.map { unsafe String(cString: $0) } ?? ""
    let system = unsafe curl_get_long(handle, CURLINFO_OS_ERRNO)
    return .failure(TransferFailure(code, text, system: Int32(clamping: max(0, system))))
  }

  // MARK: Time

  func isActive() {
    lastActivity = Clock.now()
    isSendingPaused = false
  }

  /// When it would have been idle for too long; nil without a limit.
  var nextIdleCheck: UInt64? {
    attempt.limits.idle.map { lastActivity + max(1, $0.milliseconds) }
  }

  /// Returns when it has been idle for too long, which may be now; nil without a limit.
  func checkIdle(_ now: UInt64) -> UInt64? {
    // A transfer that waits for a reader or a body of ours is not idle.
    if isSendingPaused || pipe.isPaused { lastActivity = now }
    return nextIdleCheck
  }

  /// Wakes those who wait for news.
  func tell() {
    hasNews = false
    pipe.wake()
  }
}

/// Functions that libcurl calls.
extension Transfer {
  /// Takes a line of a head.
  func read(line bytes: UnsafeRawBufferPointer, _ handle: UnsafeMutableRawPointer) {
    lastActivity = Clock.now()
    // The bytes are read before the call returns.
    guard let block = unsafe reader.read(bytes) else { return }
    let status = unsafe Int(curl_get_long(handle, CURLINFO_RESPONSE_CODE))
    if status <= 0 {
      // The proxy's own response to CONNECT.
      let answer = unsafe Int(curl_get_long(handle, CURLINFO_HTTP_CONNECTCODE))
      if answer >= 300 { tunnelHead = ResponseHead(status: answer, fields: block) }
      return
    }
    guard status >= 200, !reader.isDone else { return }
    reader.isDone = true
    let version = unsafe curl_get_long(handle, CURLINFO_HTTP_VERSION)
    isMultiplexed = version == Int(CURL_HTTP_VERSION_2_0)
    var head = TransferHead(
      head: ResponseHead(status: status, fields: block),
      version: isMultiplexed ? "HTTP/2" : version == 1 ? "HTTP/1.0" : "HTTP/1.1")
    head.expectedLength = expectedLength(block)
    // Of a partition with one connection at a time, the last one opened is the one in use.
    let opened = unsafe curl_get_long(handle, CURLINFO_NUM_CONNECTS)
    head.connection = partition?.count(opened: opened) ?? 0
    progress.expectedToReceive = head.expectedLength
    pipe.begin(head)
    hasNews = true
  }

  private func expectedLength(_ fields: [ResponseHead.Field]) -> Int64? {
    func value(_ name: String) -> String? {
      fields.first { $0.name.hasSameBytesIgnoringCase(as: name) }?.value
    }
    if attempt.method == "HEAD" { return 0 }
    if attempt.decodesContent, let coding = value("Content-Encoding"),
      !coding.hasSameBytesIgnoringCase(as: "identity")
    {
      return nil
    }
    return value("Content-Length").flatMap { Int64($0) }
  }

  /// Takes a part of the body.
  ///
  /// - Returns: Whether it was taken; if not, it comes again.
  func read(body bytes: UnsafeRawBufferPointer) -> Bool {
    // Read before the call returns.
    guard unsafe pipe.append(bytes) else { return false }
    lastActivity = Clock.now()
    hasNews = true
    progress.received += Int64(bytes.count)
    attempt.progress?(progress)
    return true
  }

  /// Writes a part of the request's body; as libcurl's read function.
  func write(body bytes: UnsafeMutableRawBufferPointer) -> Int {
    guard let body = attempt.body else { return 0 }
    // Written before the call returns.
    switch unsafe body.read(into: bytes, for: self) {
    case .bytes(let count):
      lastActivity = Clock.now()
      if count > 0 {
        progress.sent += Int64(count)
        attempt.progress?(progress)
      }
      return count
    case .later:
      isSendingPaused = true
      return curl_read_pause
    case .failed: return curl_read_abort
    }
  }

  /// Goes back to the beginning of the request's body.
  func rewind() {
    progress.sent = 0
    attempt.body?.rewind()
  }
}

extension Transfer: Hashable {
  static func == (left: Transfer, right: Transfer) -> Bool { left === right }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Duration {
  /// The duration in milliseconds, rounded up; 0 for a negative one.
  var milliseconds: UInt64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    let thousandths = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    return UInt64(
      clamping: seconds.multipliedReportingOverflow(by: 1000).overflow
        ? Int64.max : seconds * 1000 + thousandths)
  }
}
