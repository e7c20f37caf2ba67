import Dispatch
import Foundation
import FoundationNetworking

/// The private properties of Foundation's tasks and protocols without which no protocol of one's
/// own can send a body or finish a download.
///
/// They are looked up once, by name. If one is missing, as it may be in another version of
/// Foundation, each task fails with an error that names it.
struct FoundationFields: Sendable {
  private let session: PrivateField
  private let workQueue: PrivateField
  private let knownBody: PrivateField
  private let properties: PrivateField
  /// Whether a handler is called within a cancellation, which then waits for itself; nil in a
  /// version that has no such switch.
  private let isInline = PrivateField("_callCompletionHandlerInline", of: URLSessionTask.self)
  /// The tasks' handlers.
  ///
  /// Without them no task is known to have a delegate, and each gets its body in one piece.
  private let registry = PrivateField("taskRegistry", of: URLSession.self)
  private let handlers: PrivateField?

  /// The properties of the Foundation that this process runs with.
  static let current = Result { try FoundationFields() }

  /// - Throws: `URLError.unsupportedURL`, which names the property that is missing.
  init(
    task names: (session: String, workQueue: String, knownBody: String) = (
      "session", "workQueue", "knownBody"
    ), properties name: String = "properties"
  ) throws(URLError) {
    session = try Self.find(names.session, of: URLSessionTask.self) { _ in true }
    workQueue = try Self.find(names.workQueue, of: URLSessionTask.self) {
      $0.holds(DispatchQueue.self)
    }
    knownBody = try Self.find(names.knownBody, of: URLSessionTask.self) { _ in true }
    properties = try Self.find(name, of: URLProtocol.self) { field in
      field.type is any TaskProperties.Type
    }
    handlers = (registry?.type as? any AnyObject.Type).flatMap { type in
      PrivateField("behaviours", of: type)
    }
  }

  private static func find(
    _ name: String, of owner: any AnyObject.Type, _ isExpected: (PrivateField) -> Bool
  ) throws(URLError) -> PrivateField {
    guard let field = PrivateField(name, of: owner), isExpected(field) else {
      throw URLError(
        .unsupportedURL,
        userInfo: [
          NSLocalizedDescriptionKey:
            "VaultURLProtocol cannot work with this Foundation: \(owner) has no '\(name)'"
        ])
    }
    return field
  }

  /// Returns the session of a task that has not ended; nil for a task without one.
  func session(of task: URLSessionTask) -> URLSession? { session.value(in: task) as? URLSession }

  /// Returns the queue on which Foundation does everything for a task.
  func workQueue(of task: URLSessionTask) -> DispatchQueue? {
    workQueue.value(in: task) as? DispatchQueue
  }

  /// The body that a task was made with.
  enum Body {
    case none
    case data(DispatchData)
    case file(URL)
    case stream(InputStream)
    /// The delegate has it, if anybody.
    case ofDelegate
  }

  /// Returns the body that a task was made with.
  func body(of task: URLSessionTask) -> Body {
    var mirror = Mirror(reflecting: knownBody.value(in: task))
    if mirror.displayStyle == .optional {
      guard let body = mirror.children.first?.value else { return .ofDelegate }
      mirror = Mirror(reflecting: body)
    }
    return switch mirror.children.first?.value {
    case let data as DispatchData: .data(data)
    case let file as URL: .file(file)
    case let stream as InputStream: .stream(stream)
    default: .none
    }
  }

  /// Returns whether a task of a session calls a delegate with each piece of its body, and no
  /// handler at its end.
  ///
  /// Only on the task's queue.
  func callsDelegate(_ task: URLSessionTask, in session: URLSession) -> Bool {
    guard let registry = registry?.value(in: session) as? AnyObject,
      let handlers = handlers?.value(in: registry) as? any TaskHandlers,
      let handler = handlers.handler(of: task.taskIdentifier)
    else { return false }
    // The cases with a handler have it as their value.
    return Mirror(reflecting: handler).children.isEmpty
  }

  /// Has Foundation call a task's handler on the delegate's queue, and never within `cancel()`.
  ///
  /// Only on the task's queue.
  func leaveInline(_ task: URLSessionTask) { isInline?.set(false, in: task) }

  /// Gives Foundation the file of a download, before the task ends.
  ///
  /// Only on the task's queue.
  func setFile(_ file: URL, of loader: URLProtocol) {
    // The place is of this object, and `init` has checked the type.
    unsafe properties.change(in: loader) { place, type in
      guard let type = type as? any TaskProperties.Type else { return }
      unsafe type.setFile(file, at: place)
    }
  }
}

/// The dictionary in which Foundation finds the file of a download.
private protocol TaskProperties {
  static func setFile(_ file: URL, at place: UnsafeMutableRawPointer)
}

extension Dictionary: TaskProperties
where Key: RawRepresentable, Key.RawValue == String, Value == Any {
  fileprivate static func setFile(_ file: URL, at place: UnsafeMutableRawPointer) {
    guard let key = Key(rawValue: "temporaryFileURL") else { return }
    // The property has this type.
    unsafe place.assumingMemoryBound(to: Self.self).pointee[key] = file
  }
}

/// The dictionary in which a session has what its tasks call.
private protocol TaskHandlers {
  func handler(of identifier: Int) -> Any?
}

extension Dictionary: TaskHandlers where Key == Int {
  fileprivate func handler(of identifier: Int) -> Any? { self[identifier] }
}
