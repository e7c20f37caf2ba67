import BusMessages

/// The numbered objects of clients: bounded for each client, and shared fairly by programs.
///
/// A program can open any number of connections to the bus, each of which is a client. So if there
/// are as many objects as there may be in all, whoever has fewer than others gets one nevertheless:
/// the program with the most loses its oldest one.
struct ClientObjects<Value> {
  /// An object of a client.
  struct Object {
    let path: String
    let owner: String
    let value: Value
  }

  private let prefix: String
  private let mostOfOne: Int
  private let most: Int
  private let replacesOldest: Bool
  private var objects: [UInt64: Object] = [:]
  private var counts: [String: Int] = [:]
  private var last: UInt64 = 0

  /// - Parameters:
  ///   - prefix: The start of the paths.
  ///   - mostOfOne: The most objects of one client.
  ///   - most: The most objects in all.
  ///   - replacesOldest: Whether one too many takes the place of the oldest, instead of being
  ///     refused.
  init(prefix: String, mostOfOne: Int, most: Int, replacesOldest: Bool = false) {
    (self.prefix, self.mostOfOne, self.most) = (prefix, mostOfOne, most)
    self.replacesOldest = replacesOldest
  }

  var isEmpty: Bool { objects.isEmpty }

  /// Adds an object.
  ///
  /// - Returns: Its path, which no other object had before, and the object that was lost for it.
  /// - Throws: ``BusError`` if the client has too many, or its program as many as any other.
  mutating func add(
    _ value: Value, of client: String, _ programs: ClientPrograms
  ) throws(BusError) -> (path: String, lost: Object?) {
    var lost: Object?
    if counts[client, default: 0] >= mostOfOne {
      guard replacesOldest else { throw .tooMany }
      lost = removeOldest { $0 == client }
    } else if objects.count >= most {
      let program = try loser(to: programs[client], programs)
      lost = removeOldest { programs[$0] == program }
    }
    last += 1
    let path = "\(prefix)\(last)"
    objects[last] = Object(path: path, owner: client, value: value)
    counts[client, default: 0] += 1
    return (path, lost)
  }

  /// Returns the program that loses an object to another: the one with the most, if it has at least
  /// two more.
  private func loser(
    to program: ClientPrograms.Program, _ programs: ClientPrograms
  ) throws(BusError) -> ClientPrograms.Program {
    var totals: [ClientPrograms.Program: Int] = [:]
    for (client, count) in counts { totals[programs[client], default: 0] += count }
    let own = totals[program, default: 0]
    if let most = totals.max(by: { $0.value < $1.value }), most.value > own + 1 { return most.key }
    guard replacesOldest, own > 0 else { throw .tooMany }
    return program
  }

  private mutating func removeOldest(of isOwner: (String) -> Bool) -> Object? {
    objects.filter { isOwner($0.value.owner) }.keys.min().flatMap { remove(number: $0) }
  }

  /// Returns the object at a path, if it is the client's.
  func object(_ path: String, of client: String) -> Value? {
    guard let object = number(of: path).flatMap({ objects[$0] }), object.owner == client else {
      return nil
    }
    return object.value
  }

  /// Returns the object at a path, whosever it is.
  func object(_ path: String) -> Value? { number(of: path).flatMap { objects[$0]?.value } }

  /// Returns a client's object with a value that is looked for.
  func first(of client: String, where isWanted: (Value) -> Bool) -> Object? {
    objects.values.first { $0.owner == client && isWanted($0.value) }
  }

  @discardableResult
  mutating func remove(_ path: String) -> Object? {
    number(of: path).flatMap { remove(number: $0) }
  }

  /// Removes the objects of a client that has left the bus.
  ///
  /// - Returns: The removed objects.
  @discardableResult
  mutating func removeAll(of client: String) -> [Object] {
    guard counts[client] != nil else { return [] }
    let own = objects.filter { $0.value.owner == client }
    return own.keys.sorted().compactMap { remove(number: $0) }
  }

  private mutating func remove(number: UInt64) -> Object? {
    guard let object = objects.removeValue(forKey: number) else { return nil }
    let count = counts[object.owner, default: 1] - 1
    counts[object.owner] = count == 0 ? nil : count
    return object
  }

  private func number(of path: String) -> UInt64? {
    guard path.hasPrefix(prefix), let number = UInt64(path.dropFirst(prefix.count)),
      objects[number]?.path == path
    else { return nil }
    return number
  }
}

/// The programs of the clients, which the bus tells a moment after a client's first call.
struct ClientPrograms {
  /// The process behind a client's connection; until that is known, the connection.
  enum Program: Hashable {
    case process(UInt32)
    case connection(String)
  }

  private var processes: [String: UInt32] = [:]

  subscript(client: String) -> Program {
    processes[client].map(Program.process) ?? .connection(client)
  }

  func requester(_ client: String) -> Requester {
    processes[client].map(Requester.process) ?? .unknown
  }

  mutating func add(_ client: String, process: UInt32) { processes[client] = process }

  mutating func remove(_ client: String) { processes[client] = nil }
}
