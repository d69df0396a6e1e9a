/**
 * The icons of the panel.
 */
import { LabIcon } from '@jupyterlab/ui-components';

import agentSvg from '../style/icons/agent.svg';

export const agentIcon = new LabIcon({ name: 'pi-notebook:agent', svgstr: agentSvg });
