/**
 * What is noticed of a kernel from what it says to all.
 */
import { KernelMessage } from '@jupyterlab/services';

import { Hearing } from '../hearing';

function said(msg_type: string, content: object, session = 'first'): KernelMessage.IIOPubMessage {
  return { header: { msg_type, session }, content, channel: 'iopub' } as unknown as KernelMessage.IIOPubMessage;
}

const status = (execution_state: string, session = 'first'): KernelMessage.IIOPubMessage =>
  said('status', { execution_state }, session);
const stream = (text: string): KernelMessage.IIOPubMessage => said('stream', { name: 'stderr', text }, 'server');

test('a kernel that speaks as another process was started anew', () => {
  const hearing = new Hearing();
  expect(hearing.hear(status('busy'))).toBeNull();
  expect(hearing.hear(status('restarting', 'server'))).toBeNull();
  expect(hearing.hear(status('idle', 'second'))).toBe('restarted');
  expect(hearing.hear(status('busy', 'second'))).toBeNull();
  hearing.reset();
  expect(hearing.hear(status('busy', 'third'))).toBeNull();
});

test.each(['data', 'message'])('what the server left out for its %s rate is noticed when it is over', kind => {
  const hearing = new Hearing();
  hearing.hear(status('busy'));
  expect(hearing.hear(stream(`\nIOPub ${kind} rate exceeded.\nThe Jupyter server will …`))).toBeNull();
  expect(hearing.hear(stream('more'))).toBeNull();
  expect(hearing.hear(status('idle'))).toBe('gap');
  expect(hearing.hear(status('idle'))).toBeNull();
});

test('a message of a comm that gets through shows that a gap is over', () => {
  const hearing = new Hearing();
  hearing.hear(stream('IOPub data rate exceeded.'));
  expect(hearing.hear(said('comm_msg', {}))).toBe('gap');
});
