import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Ends connections that take too long to say what they want.
///
/// A request's head has to be there some seconds after the connection or the last answer, however slowly its bytes come; its body
/// has a second for each 16 KiB more. An answer may take any time, as long as the other side takes some of it every minute.
public final class Deadlines: ChannelDuplexHandler, RemovableChannelHandler {
    public typealias InboundIn = HTTPRequestPart
    public typealias InboundOut = HTTPRequestPart
    public typealias OutboundIn = HTTPResponsePart
    public typealias OutboundOut = HTTPResponsePart

    private static let head = TimeAmount.seconds(20)
    private static let idle = TimeAmount.seconds(75)
    private static let body = TimeAmount.seconds(30)
    private static let ending = TimeAmount.seconds(2)
    /// Some 32 KiB, so much as a channel has to send before it takes more.
    private static let taking = TimeAmount.seconds(60)
    private static let bytesPerSecond = 16 << 10

    private var deadline: Scheduled<Void>?
    private var due = NIODeadline.now()
    /// When the other side is to have taken what waits to be sent.
    private var taken: Scheduled<Void>?
    private var isReading = false
    /// Whether something that is no request came: then the connection ends, whatever else comes.
    private var isEnding = false

    public init() {}

    public func handlerAdded(context: ChannelHandlerContext) { wait(Self.head, context) }
    public func handlerRemoved(context: ChannelHandlerContext) { cancel() }

    public func channelInactive(context: ChannelHandlerContext) {
        cancel()
        context.fireChannelInactive()
    }

    private func cancel() {
        deadline?.cancel()
        taken?.cancel()
    }

    public func channelWritabilityChanged(context: ChannelHandlerContext) {
        taken?.cancel()
        taken = nil
        if !context.channel.isWritable {
            let box = NIOLoopBound(context, eventLoop: context.eventLoop)
            taken = context.eventLoop.scheduleTask(in: Self.taking) { box.value.close(promise: nil) }
        }
        context.fireChannelWritabilityChanged()
    }

    public func errorCaught(context: ChannelHandlerContext, error: any Error) {
        isEnding = true
        wait(Self.ending, context)
        context.fireErrorCaught(error)
    }

    public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            isReading = true
            wait(Self.body, context)
        case .body(let buffer):
            due = due + .nanoseconds(Int64(buffer.readableBytes) * 1_000_000_000 / Int64(Self.bytesPerSecond))
        case .end:
            isReading = false
            deadline?.cancel()
            deadline = nil
        }
        context.fireChannelRead(data)
    }

    public func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data), !isReading, !isEnding { wait(Self.idle, context) }
        context.write(data, promise: promise)
    }

    private func wait(_ time: TimeAmount, _ context: ChannelHandlerContext) {
        due = .now() + time
        schedule(context)
    }

    private func schedule(_ context: ChannelHandlerContext) {
        deadline?.cancel()
        let (loop, box) = (context.eventLoop, NIOLoopBound((self, context), eventLoop: context.eventLoop))
        deadline = loop.scheduleTask(deadline: due) {
            let (handler, context) = box.value
            // The body has gone on meanwhile.
            if handler.due > .now() { handler.schedule(context) } else { context.close(promise: nil) }
        }
    }
}
