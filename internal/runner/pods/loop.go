package pods

import (
	"context"
	"fmt"
	"slices"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/fctl-dev/fctl/internal/runner/evaluator"
)

// maxRetries is how often a request is tried again after its pod ended.
const maxRetries = 2

// loop is the state of a scheduler. Only the goroutine of Scheduler.run uses it.
type loop struct {
	s       *Scheduler
	pools   map[poolKey]*pool
	order   []*pool // in which pools were made: decisions do not depend on the order of the map
	total   int     // pods, those that start and those that are being deleted included
	ending  int     // pods that are being deleted
	waiting int     // jobs that no pod works on
}

type poolKey struct{ image, version string }

// pool has the pods of one function.
type pool struct {
	function Function
	pods     []*worker
	// backlog are the jobs without a pod, because there are too many pods of other functions.
	backlog []*job
	next    int       // where the search for the least loaded pod begins
	failed  time.Time // when a pod did not start
	retired bool
}

// worker is a pod and the jobs that were assigned to it.
type worker struct {
	pool    *pool
	pod     Pod // nil while it starts
	queue   []*job
	current *job
	used    time.Time
	leaving bool               // no longer in the pool; deleted after the current job
	cancel  context.CancelFunc // ends the start
}

// job is a request on its way.
type job struct {
	ctx      context.Context
	function Function
	request  *evaluator.Request
	retries  int
	done     chan answer // buffered: nobody may wait for it any longer
	over     bool        // answered or abandoned
}

type answer struct {
	response *evaluator.Response
	err      error
}

// finish answers a job.
func (j *job) finish(response *evaluator.Response, err error) {
	if !j.over {
		j.over = true
		j.done <- answer{response, err}
	}
}

// submit accepts a new job.
func (l *loop) submit(j *job) {
	if l.waiting >= l.s.options.Waiting {
		j.finish(nil, status.Errorf(codes.ResourceExhausted,
			"%d requests wait for pods; try again later", l.waiting))
		return
	}
	l.waiting++
	l.assign(l.pool(j.function), j, false)
}

// pool returns the pool of a function, with the newest limits.
func (l *loop) pool(f Function) *pool {
	key := poolKey{f.Image, f.Version}
	p := l.pools[key]
	if p == nil {
		p = &pool{}
		l.pools[key] = p
		l.order = append(l.order, p)
	}
	f.Limits = f.Limits.or(l.s.options.Limits)
	p.function = f
	return p
}

// assign gives a waiting job to the pod with the fewest jobs, which may be a new one. A job that is
// tried again goes first.
func (l *loop) assign(p *pool, j *job, first bool) {
	best := p.least()
	limits := p.function.Limits
	switch {
	case best == nil:
		best = l.start(p)
	case len(best.queue) >= limits.PreferredQueue && len(p.pods) < limits.MaxPods &&
		time.Since(p.failed) >= l.s.options.Retry:
		if w := l.start(p); w != nil {
			best = w
		}
	}
	queue := &p.backlog
	if best != nil {
		queue = &best.queue
	}
	if first {
		*queue = slices.Insert(*queue, 0, j)
	} else {
		*queue = append(*queue, j)
	}
	if best != nil {
		l.dispatch(best)
	}
}

// least returns the pod with the fewest jobs, nil without one. Of equal ones it prefers one
// that is ready, and takes another one each time.
func (p *pool) least() *worker {
	var best *worker
	for i := range p.pods {
		w := p.pods[(p.next+i)%len(p.pods)]
		if best == nil || w.load() < best.load() ||
			w.load() == best.load() && w.pod != nil && best.pod == nil {
			best = w
		}
	}
	p.next++
	return best
}

func (w *worker) load() int {
	if w.current != nil {
		return len(w.queue) + 1
	}
	return len(w.queue)
}

// idle reports whether a pod is ready and has nothing to do.
func (w *worker) idle() bool { return w.pod != nil && w.load() == 0 }

// start starts another pod of a pool. It returns nil if there are too many pods already. Then an
// idle one of another function has to end first.
func (l *loop) start(p *pool) *worker {
	if l.total >= l.s.options.Total {
		if l.total-l.ending >= l.s.options.Total {
			l.makeSpace(p)
		}
		return nil
	}
	ctx, cancel := context.WithTimeout(l.s.running, l.s.options.StartTimeout)
	w := &worker{pool: p, cancel: cancel}
	p.pods = append(p.pods, w)
	l.total++
	f := p.function
	l.s.spawn(func() {
		defer cancel()
		pod, err := l.s.backend.Start(ctx, f)
		if !l.s.post(func() { l.started(w, pod, err) }) && err == nil {
			l.s.deletePod(pod)
		}
	})
	return w
}

// makeSpace deletes the idle pod of another pool that was not used for the longest time.
func (l *loop) makeSpace(except *pool) {
	var oldest *worker
	for _, p := range l.order {
		for _, w := range p.pods {
			if p != except && w.idle() && (oldest == nil || w.used.Before(oldest.used)) {
				oldest = w
			}
		}
	}
	if oldest != nil {
		l.end(oldest, "another function needs a pod")
	}
}

// started takes note of a pod that is ready or did not start.
func (l *loop) started(w *worker, pod Pod, err error) {
	switch {
	case w.leaving && err == nil:
		w.pod = pod
		l.delete(w)
	case w.leaving:
		l.total--
	case err != nil:
		l.total--
		w.pool.failed = time.Now()
		l.s.failed.Add(1)
		l.s.options.Note("a pod of %s did not start: %v", w.pool.function.Image, err)
		l.remove(w)
		l.orphans(w.pool, w.take(), notStarted(w.pool.function, err))
	default:
		l.s.ready.Add(1)
		l.s.options.Note("pod %s of %s is ready", pod.Name(), w.pool.function.Image)
		l.ready(w, pod)
	}
}

// ready gives a pod its first job and watches it.
func (l *loop) ready(w *worker, pod Pod) {
	w.pod, w.used = pod, time.Now()
	l.s.spawn(func() {
		select {
		case <-pod.Gone():
			l.s.post(func() { l.evict(w, "it has ended") })
		case <-l.s.running.Done():
		}
	})
	l.dispatch(w)
}

// dispatch lets a ready pod work on its next job. Without one it takes a job that waits for a pod
// which is still starting.
func (l *loop) dispatch(w *worker) {
	if w.pod == nil || w.current != nil || w.leaving {
		return
	}
	j := l.next(w)
	if j == nil {
		if w.pool.retired {
			l.end(w, "its configuration has changed")
		}
		return
	}
	w.current = j
	pod := w.pod
	l.s.spawn(func() {
		ctx, cancel := context.WithCancel(j.ctx)
		defer cancel()
		defer context.AfterFunc(l.s.running, cancel)()
		response, err := pod.Call(ctx, j.request)
		l.s.post(func() { l.finished(w, j, response, err) })
	})
}

// next takes the first job of a pod whose sender still waits, nil without one.
func (l *loop) next(w *worker) *job {
	for {
		var j *job
		if len(w.queue) > 0 {
			j = w.queue[0]
			w.queue = slices.Delete(w.queue, 0, 1)
		} else if j = w.pool.steal(); j == nil {
			return nil
		}
		l.waiting--
		if j.ctx.Err() == nil {
			return j
		}
		j.finish(nil, status.FromContextError(j.ctx.Err()).Err())
	}
}

// steal takes the oldest job of the backlog, or of a pod that is starting.
func (p *pool) steal() *job {
	from := &p.backlog
	for _, w := range p.pods {
		if len(*from) == 0 && w.pod == nil {
			from = &w.queue
		}
	}
	if len(*from) == 0 {
		return nil
	}
	j := (*from)[0]
	*from = slices.Delete(*from, 0, 1)
	return j
}

// finished answers the job of a pod, or tries it again if the pod ended.
func (l *loop) finished(w *worker, j *job, response *evaluator.Response, err error) {
	w.current, w.used = nil, time.Now()
	if w.leaving {
		l.delete(w)
	}
	if !unavailable(err) || j.ctx.Err() != nil {
		j.finish(response, err)
		l.dispatch(w)
		return
	}
	l.evict(w, fmt.Sprintf("it does not answer: %v", err))
	if j.retries == maxRetries {
		j.finish(nil, status.Errorf(codes.Unavailable,
			"the pod of %s ended during the evaluation, %d times: %s", j.function.Image,
			maxRetries+1, status.Convert(err).Message()))
		return
	}
	j.retries++
	l.waiting++
	l.assign(l.pool(j.function), j, true)
}

// evict removes a pod that cannot be used, and gives its jobs to others.
func (l *loop) evict(w *worker, why string) {
	if w.leaving {
		return
	}
	orphans := w.take()
	l.end(w, why)
	for _, j := range orphans {
		l.assign(w.pool, j, false)
	}
}

// orphans gives the jobs of a pod that did not start to others. They fail if there is no other pod.
func (l *loop) orphans(p *pool, jobs []*job, err error) {
	if len(p.pods) == 0 {
		jobs = append(jobs, p.backlog...)
		p.backlog = nil
		for _, j := range jobs {
			l.waiting--
			j.finish(nil, err)
		}
		return
	}
	for _, j := range jobs {
		l.assign(p, j, false)
	}
}

// take returns the jobs that wait for a pod, and takes them from it.
func (w *worker) take() []*job {
	jobs := w.queue
	w.queue = nil
	return jobs
}

// end deletes a pod, after its current job.
func (l *loop) end(w *worker, why string) {
	l.remove(w)
	w.cancelStart()
	if w.pod == nil {
		return
	}
	l.s.options.Note("pod %s is deleted: %s", w.pod.Name(), why)
	if w.current == nil {
		l.delete(w)
	}
}

func (w *worker) cancelStart() {
	if w.cancel != nil {
		w.cancel()
	}
}

// remove takes a pod out of its pool.
func (l *loop) remove(w *worker) {
	w.leaving = true
	w.pool.pods = slices.DeleteFunc(w.pool.pods, func(o *worker) bool { return o == w })
}

// serveBacklogs starts pods for functions whose requests wait because there were too many pods. It
// runs after every event, when a pod may have become idle or have ended.
func (l *loop) serveBacklogs() {
	for _, p := range l.order {
		if len(p.backlog) == 0 || len(p.pods) > 0 {
			continue
		}
		w := l.start(p)
		if w == nil {
			return
		}
		w.queue, p.backlog = p.backlog, nil
	}
}

// delete deletes a pod that was removed from its pool.
func (l *loop) delete(w *worker) {
	l.ending++
	l.s.spawn(func() {
		l.s.deletePod(w.pod)
		l.s.post(func() {
			l.ending--
			l.total--
		})
	})
}

// abandon forgets a job that nobody waits for any longer. If a pod works on it, its context ends
// the call.
func (l *loop) abandon(j *job) {
	if j.over {
		return
	}
	j.over = true
	drop := func(queue *[]*job) {
		if i := slices.Index(*queue, j); i >= 0 {
			*queue = slices.Delete(*queue, i, i+1)
			l.waiting--
		}
	}
	for _, p := range l.order {
		drop(&p.backlog)
		for _, w := range p.pods {
			drop(&w.queue)
		}
	}
}

// retire lets the pods of old configurations end.
func (l *loop) retire(keep func(image, version string) bool) {
	for _, p := range slices.Clone(l.order) {
		p.retired = !keep(p.function.Image, p.function.Version)
		if !p.retired {
			continue
		}
		for _, w := range slices.Clone(p.pods) {
			if w.load() == 0 {
				l.end(w, "its configuration has changed")
			}
		}
	}
}

// collect deletes pods that were not used for their time to live, and pools without pods.
func (l *loop) collect() {
	for _, p := range slices.Clone(l.order) {
		for _, w := range slices.Clone(p.pods) {
			if w.idle() && time.Since(w.used) >= p.function.Limits.TTL {
				l.end(w, "it was not used")
			}
		}
	}
	for key, p := range l.pools {
		if len(p.pods)+len(p.backlog) == 0 {
			delete(l.pools, key)
			l.order = slices.DeleteFunc(l.order, func(o *pool) bool { return o == p })
		}
	}
}

// close answers waiting requests, and deletes the pods or leaves them to others.
func (l *loop) close() {
	fail := func(jobs []*job) {
		for _, j := range jobs {
			j.finish(nil, errStopped())
		}
	}
	l.s.cancel()
	for _, p := range l.order {
		fail(p.backlog)
		for _, w := range p.pods {
			fail(w.queue)
			if w.current != nil {
				fail([]*job{w.current})
			}
			switch {
			case w.pod == nil:
			case l.s.options.Keep && w.current == nil:
				l.s.spawn(func() { l.s.release(w.pod) })
			default:
				l.s.spawn(func() { l.s.deletePod(w.pod) })
			}
		}
	}
}
