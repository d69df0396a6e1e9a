/**
 * The icons of the panel.
 */
import { LabIcon } from '@jupyterlab/ui-components';

import agentSvg from '../style/icons/agent.svg';
import sendSvg from '../style/icons/send.svg';

export const agentIcon = new LabIcon({ name: 'pi-notebook:agent', svgstr: agentSvg });
export const sendIcon = new LabIcon({ name: 'pi-notebook:send', svgstr: sendSvg });
