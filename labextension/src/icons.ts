/**
 * The icons of the panel.
 */
import { LabIcon } from '@jupyterlab/ui-components';

import agentSvg from '../style/icons/agent.svg';
import attachSvg from '../style/icons/attach.svg';
import forkSvg from '../style/icons/fork.svg';
import sendSvg from '../style/icons/send.svg';

export const agentIcon = new LabIcon({ name: 'pi-notebook:agent', svgstr: agentSvg });
export const attachIcon = new LabIcon({ name: 'pi-notebook:attach', svgstr: attachSvg });
export const forkIcon = new LabIcon({ name: 'pi-notebook:fork', svgstr: forkSvg });
export const sendIcon = new LabIcon({ name: 'pi-notebook:send', svgstr: sendSvg });
